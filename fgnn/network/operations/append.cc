// Every row with the numbers of a parameter after its own.
#include <algorithm>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class AppendSteps : public Steps<AppendSteps> {
 public:
  explicit AppendSteps(Append append) : o(append) {}

  std::string_view name() const override { return "append"; }
  Ports ports() const override { return {{o.input}, o.output, {o.parameter}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.place(o.input, check.at(o.output).place);
    check.width(o.output, check.at(o.input).width + check.parameter(o.parameter).count());
  }

  template <class T>
  void run(Pass<T>& p) const {
    const std::size_t own = p.width(o.input), more = p.width(o.output) - own;
    T* out = p.output(o.output);
    for (std::size_t r = 0; r < p.rows(o.output); ++r) {
      out = std::copy_n(p.value(o.input) + r * own, own, out);
      out = std::copy_n(p.weight(o.parameter), more, out);
    }
  }

  template <class T>
  void back(Pass<T>& p) const {
    const std::size_t own = p.width(o.input), more = p.width(o.output) - own;
    const Into<T> input = p.into(o.input), parameter = p.into_weight(o.parameter);
    std::fill_n(parameter.data(), more, T(0));
    const T* gradient = p.gradient(o.output);
    for (std::size_t r = 0; r < p.rows(o.output); ++r, gradient += own + more) {
      if (input) std::copy_n(gradient, own, input.data() + r * own);
      for (std::size_t j = 0; j < more; ++j) parameter.data()[j] += gradient[own + j];
    }
  }

 private:
  Append o;
};

const Sample append_sample("append", [](Writer& w, const Scene& s) {
  const int x = w.linear("before", {s.variable}, 3, true, Activation::tanh);
  const int output = w.add_register({Place::variable}, 7);
  w.push(Append{x, w.parameter("more", {2, 2}, 0.5), output});
  return output;
});

}  // namespace

OperationPtr make(Append o) { return std::make_shared<AppendSteps>(o); }

}  // namespace fgnn::network
