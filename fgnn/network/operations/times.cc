// A register times one trained number.
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class TimesSteps : public Steps<TimesSteps> {
 public:
  explicit TimesSteps(Times times) : o(times) {}

  std::string_view name() const override { return "times"; }
  Ports ports() const override { return {{o.input}, o.output, {o.number}, {o.input}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.input, o.output);
    check.shape(o.number, 1);
  }

  template <class T>
  void run(Pass<T>& p) const {
    T* out = p.output(o.output);
    for (std::size_t i = 0; i < p.count(o.output); ++i) {
      out[i] = p.value(o.input)[i] * *p.weight(o.number);
    }
  }

  template <class T>
  void back(Pass<T>& p) const {
    const T *x = p.value(o.input), *dy = p.gradient(o.output);
    const Into<T> input = p.into(o.input), number = p.into_weight(o.number);
    *number.data() = 0;
    for (std::size_t i = 0; i < p.count(o.output); ++i) {
      *number.data() += dy[i] * x[i];
      if (input) input.data()[i] = dy[i] * *p.weight(o.number);
    }
  }

 private:
  Times o;
};

const Sample times_sample("times", [](Writer& w, const Scene& s) {
  const int x = w.linear("before", {s.variable}, 3, true, Activation::tanh);
  const int output = w.add_register({Place::variable}, 3);
  w.push(Times{x, w.parameter("number", {1}, 0.5, 2), output});
  return output;
});

}  // namespace

OperationPtr make(Times o) { return std::make_shared<TimesSteps>(o); }

}  // namespace fgnn::network
