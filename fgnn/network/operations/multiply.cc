// The product of two registers, entry by entry.
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class MultiplySteps : public Steps<MultiplySteps> {
 public:
  explicit MultiplySteps(Multiply multiply) : o(multiply) {}

  std::string_view name() const override { return "multiply"; }
  Ports ports() const override { return {{o.first, o.second}, o.output, {}, {o.first, o.second}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.first, o.output);
    check.like(o.second, o.output);
  }

  template <class T>
  void run(Pass<T>& p) const {
    times(p.value(o.first), p.value(o.second), p.output(o.output), p.count(o.output));
  }

  template <class T>
  void back(Pass<T>& p) const {
    for (const auto& [input, other] : {std::pair(o.first, o.second), {o.second, o.first}}) {
      const Into<T> into = p.into(input);
      if (into) times(p.gradient(o.output), p.value(other), into.data(), p.count(o.output));
    }
  }

 private:
  template <class T>
  static void times(const T* x, const T* y, T* out, std::size_t n) {
    kernels::product_sum(x, y, static_cast<const T*>(nullptr), out, n);
  }

  Multiply o;
};

const Sample multiply_sample("multiply", [](Writer& w, const Scene& s) {
  const int x = w.linear("x", {s.variable}, 3, true, Activation::tanh);
  const int y = w.linear("y", {s.variable}, 3, true, Activation::tanh);
  const int xy = w.add_register({Place::variable}, 3),
            squares = w.add_register({Place::variable}, 3);
  w.push(Multiply{x, y, xy});
  w.push(Multiply{xy, xy, squares});
  return squares;
});

}  // namespace

OperationPtr make(Multiply o) { return std::make_shared<MultiplySteps>(o); }

}  // namespace fgnn::network
