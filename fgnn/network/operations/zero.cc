// Rows of zeros: messages before the first iteration.
#include <algorithm>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class ZeroSteps : public Steps<ZeroSteps> {
 public:
  explicit ZeroSteps(Zero zero) : o(zero) {}

  std::string_view name() const override { return "zero"; }
  Ports ports() const override { return {{}, o.output, {}, {}}; }
  void check(const Program&) const override {}

  template <class T>
  void run(Pass<T>& p) const {
    std::fill_n(p.output(o.output), p.count(o.output), T(0));
  }
  template <class T>
  void back(Pass<T>&) const {}

 private:
  Zero o;
};

const Sample zero_sample("zero", [](Writer& w, const Scene& s) {
  const int x = w.linear("x", {s.variable}, 4, true, Activation::tanh);
  const int output = w.add_register({Place::variable}, 4);
  w.push(Zero{output});
  return w.add({x, output});
});

}  // namespace

OperationPtr make(Zero o) { return std::make_shared<ZeroSteps>(o); }

}  // namespace fgnn::network
