// The inner product of two registers, row by row.
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class DotSteps : public Steps<DotSteps> {
 public:
  explicit DotSteps(Dot dot) : o(dot) {}

  std::string_view name() const override { return "dot"; }
  Ports ports() const override { return {{o.first, o.second}, o.output, {}, {o.first, o.second}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.second, o.first);
    check.place(o.output, check.at(o.first).place);
    check.width(o.output, 1);
  }

  template <class T>
  void run(Pass<T>& p) const {
    const std::size_t width = p.width(o.first);
    const T *x = p.value(o.first), *y = p.value(o.second);
    T* out = p.output(o.output);
    for (std::size_t r = 0; r < p.rows(o.output); ++r, x += width, y += width) {
      out[r] = 0;
      for (std::size_t j = 0; j < width; ++j) out[r] += x[j] * y[j];
    }
  }

  template <class T>
  void back(Pass<T>& p) const {
    const std::size_t width = p.width(o.first);
    const T* gradient = p.gradient(o.output);
    for (const auto& [input, other] : {std::pair(o.first, o.second), {o.second, o.first}}) {
      const Into<T> into = p.into(input);
      for (std::size_t i = 0; into && i < p.count(input); ++i) {
        into.data()[i] = gradient[i / width] * p.value(other)[i];
      }
    }
  }

 private:
  Dot o;
};

const Sample dot_sample("dot", [](Writer& w, const Scene& s) {
  const int x = w.linear("x", {s.variable}, 3, true, Activation::tanh);
  const int y = w.linear("y", {s.variable}, 3, true, Activation::tanh);
  const int output = w.add_register({Place::variable}, 1);
  w.push(Dot{x, y, output});
  return output;
});

}  // namespace

OperationPtr make(Dot o) { return std::make_shared<DotSteps>(o); }

}  // namespace fgnn::network
