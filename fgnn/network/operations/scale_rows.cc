// Each row of a register times the one number that another has for it.
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class ScaleRowsSteps : public Steps<ScaleRowsSteps> {
 public:
  explicit ScaleRowsSteps(ScaleRows scale) : o(scale) {}

  std::string_view name() const override { return "scale_rows"; }
  Ports ports() const override { return {{o.input, o.by}, o.output, {}, {o.input, o.by}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.input, o.output);
    check.place(o.by, check.at(o.output).place);
    check.width(o.by, 1);
  }

  template <class T>
  void run(Pass<T>& p) const {
    times(p.value(o.input), p.value(o.by), p.count(o.output), p.width(o.output),
          p.output(o.output));
  }

  template <class T>
  void back(Pass<T>& p) const {
    const std::size_t n = p.count(o.output), width = p.width(o.output);
    const T *x = p.value(o.input), *gradient = p.gradient(o.output);
    if (const Into<T> input = p.into(o.input)) {
      times(gradient, p.value(o.by), n, width, input.data());
    }
    if (const Into<T> by = p.into(o.by)) {
      for (std::size_t r = 0; r < p.rows(o.by); ++r) by.data()[r] = 0;
      for (std::size_t i = 0; i < n; ++i) by.data()[i / width] += gradient[i] * x[i];
    }
  }

 private:
  template <class T>
  static void times(const T* x, const T* by, std::size_t n, std::size_t width, T* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * by[i / width];
  }

  ScaleRows o;
};

const Sample scale_rows_sample("scale_rows", [](Writer& w, const Scene& s) {
  const int x = w.linear("x", {s.variable}, 3, true, Activation::tanh);
  const int by = w.linear("by", {s.variable}, 1, true, Activation::tanh);
  const int output = w.add_register({Place::variable}, 3);
  w.push(ScaleRows{x, by, output});
  return output;
});

}  // namespace

OperationPtr make(ScaleRows o) { return std::make_shared<ScaleRowsSteps>(o); }

}  // namespace fgnn::network
