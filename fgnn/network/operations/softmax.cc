// Probabilities from logarithms, row by row: kernels/softmax.h
#include "fgnn/kernels/softmax.h"

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class SoftmaxSteps : public Steps<SoftmaxSteps> {
 public:
  explicit SoftmaxSteps(Softmax softmax) : o(softmax) {}

  std::string_view name() const override { return "softmax"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {o.output}}; }
  void check(const Program& program) const override {
    Check(name(), program).like(o.input, o.output);
  }

  template <class T>
  void run(Pass<T>& p) const {
    kernels::softmax_forward<T>(p.value(o.input), p.rows(o.output), p.width(o.output),
                                p.output(o.output), p.threads());
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> input = p.into(o.input);
    if (!input) return;
    kernels::softmax_backward<T>(p.value(o.output), p.gradient(o.output), p.rows(o.output),
                                 p.width(o.output), input.data(), p.threads());
  }

 private:
  Softmax o;
};

const Sample softmax_sample("softmax", [](Writer& w, const Scene& s) {
  const int x = w.linear("before", {s.variable}, 4, true, Activation::identity);
  const int output = w.add_register({Place::variable}, 4);
  w.push(Softmax{x, output});
  return output;
});

}  // namespace

OperationPtr make(Softmax o) { return std::make_shared<SoftmaxSteps>(o); }

}  // namespace fgnn::network
