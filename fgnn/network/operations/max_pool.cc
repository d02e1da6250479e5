// The largest of each window of an image: kernels/convolution.h
#include <vector>

#include "fgnn/kernels/convolution.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class MaxPoolSteps : public Steps<MaxPoolSteps> {
 public:
  explicit MaxPoolSteps(MaxPool pool) : o(pool) {}

  std::string_view name() const override { return "max_pool"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.place(o.input, check.at(o.output).place);
    check.width(o.input, o.shape.numbers());
    check.width(o.output, kernels::pooled(o.shape, o.side).numbers());
  }

  template <class T>
  void run(Pass<T>& p) const {
    std::uint8_t* where = nullptr;
    if (p.purpose().gradients) {
      auto& kept = p.template kept<std::vector<std::uint8_t>>();
      kept.resize(p.count(o.output));
      where = kept.data();
    }
    kernels::max_pool_forward<T>(o.shape, o.side, p.rows(o.output), p.value(o.input),
                                 p.output(o.output), where, p.threads());
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> input = p.into(o.input);
    if (!input) return;
    kernels::max_pool_backward<T>(o.shape, o.side, p.rows(o.output),
                                  p.template kept<std::vector<std::uint8_t>>().data(),
                                  p.gradient(o.output), input.data(), p.threads());
  }

 private:
  MaxPool o;
};

const Sample max_pool_sample("max_pool", [](Writer& w, const Scene& s) {
  const kernels::ImageShape shape{3, 5, 2};
  const int x = w.linear("image", {s.variable}, shape.numbers(), true, Activation::tanh);
  const int output = w.add_register({Place::variable}, kernels::pooled(shape, 2).numbers());
  w.push(MaxPool{x, output, shape, 2});
  return output;
});

}  // namespace

OperationPtr make(MaxPool o) { return std::make_shared<MaxPoolSteps>(o); }

}  // namespace fgnn::network
