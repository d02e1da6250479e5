// The sum of registers.
#include <algorithm>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class AddSteps : public Steps<AddSteps> {
 public:
  explicit AddSteps(Add add) : o(std::move(add)) {}

  std::string_view name() const override { return "add"; }
  Ports ports() const override { return {o.inputs, o.output, {}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.that(!o.inputs.empty(), "has no input");
    for (const int i : o.inputs) check.like(i, o.output);
  }

  template <class T>
  void run(Pass<T>& p) const {
    T* out = p.output(o.output);
    const std::size_t n = p.count(o.output);
    std::copy_n(p.value(o.inputs[0]), n, out);
    for (std::size_t k = 1; k < o.inputs.size(); ++k) kernels::add(p.value(o.inputs[k]), out, n);
  }

  template <class T>
  void back(Pass<T>& p) const {
    const std::size_t n = p.count(o.output);
    for (std::size_t k = 1; k < o.inputs.size(); ++k) {
      const Into<T> input = p.into(o.inputs[k]);
      if (input) std::copy_n(p.gradient(o.output), n, input.data());
    }
    p.hand_on(o.output, o.inputs[0]);
  }

 private:
  Add o;
};

const Sample add_sample("add", [](Writer& w, const Scene& s) {
  const int x = w.linear("x", {s.variable}, 3, true, Activation::tanh);
  const int y = w.linear("y", {s.variable}, 3, true, Activation::tanh);
  return w.add({x, y, x});
});

}  // namespace

OperationPtr make(Add o) { return std::make_shared<AddSteps>(std::move(o)); }

}  // namespace fgnn::network
