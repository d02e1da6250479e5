// A pointwise function: kernels/activation.h
#include <algorithm>

#include "fgnn/kernels/activation.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class ActivateSteps : public Steps<ActivateSteps> {
 public:
  explicit ActivateSteps(Activate activate) : o(activate) {}

  std::string_view name() const override { return "activate"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {o.output}}; }
  void check(const Program& program) const override {
    Check(name(), program).like(o.input, o.output);
  }

  template <class T>
  void run(Pass<T>& p) const {
    T* out = p.output(o.output);
    std::copy_n(p.value(o.input), p.count(o.output), out);
    kernels::apply(o.activation, out, p.count(o.output));
  }

  template <class T>
  void back(Pass<T>& p) const {
    kernels::multiply_slope(o.activation, p.value(o.output), p.gradient(o.output),
                            p.count(o.output));
    p.hand_on(o.output, o.input);
  }

 private:
  Activate o;
};

const Sample activate_sample("activate", [](Writer& w, const Scene& s) {
  int x = w.linear("before", {s.variable}, 4, true, Activation::identity);
  for (const auto f : {Activation::tanh, Activation::exp, Activation::log, Activation::sigmoid,
                       Activation::leaky}) {
    x = w.activate(x, f);
  }
  return x;
});

}  // namespace

OperationPtr make(Activate o) { return std::make_shared<ActivateSteps>(o); }

}  // namespace fgnn::network
