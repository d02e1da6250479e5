// Rows of length 1: y = x / sqrt(|x|^2 + epsilon), so that a row of zeros stays one.
#include <algorithm>
#include <cmath>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

constexpr double kUnitEpsilon = 1e-12;

class UnitSteps : public Steps<UnitSteps> {
 public:
  explicit UnitSteps(Unit unit) : o(unit) {}

  std::string_view name() const override { return "unit"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {o.input, o.output}}; }
  void check(const Program& program) const override {
    Check(name(), program).like(o.input, o.output);
  }

  template <class T>
  void run(Pass<T>& p) const {
    const std::size_t width = p.width(o.output);
    const T* x = p.value(o.input);
    T* y = p.output(o.output);
    for (std::size_t r = 0; r < p.rows(o.output); ++r, x += width, y += width) {
      const T length = length_of(x, width);
      for (std::size_t j = 0; j < width; ++j) y[j] = x[j] / length;
    }
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> input = p.into(o.input);
    if (!input) return;
    const std::size_t width = p.width(o.output);
    const T *x = p.value(o.input), *y = p.value(o.output), *dy = p.gradient(o.output);
    T* dx = input.data();
    for (std::size_t r = 0; r < p.rows(o.output); ++r) {
      const T length = length_of(x, width);
      T along = 0;
      for (std::size_t j = 0; j < width; ++j) along += y[j] * dy[j];
      for (std::size_t j = 0; j < width; ++j) dx[j] = (dy[j] - y[j] * along) / length;
      x += width, y += width, dy += width, dx += width;
    }
  }

 private:
  template <class T>
  static T length_of(const T* x, std::size_t width) {
    T squares = 0;
    for (std::size_t j = 0; j < width; ++j) squares += x[j] * x[j];
    return std::sqrt(squares + static_cast<T>(kUnitEpsilon));
  }

  Unit o;
};

const Sample unit_sample("unit", [](Writer& w, const Scene& s) {
  const int x = w.linear("before", {s.variable}, 4, true, Activation::identity);
  const int output = w.add_register({Place::variable}, 4);
  w.push(Unit{x, output});
  return output;
});

}  // namespace

OperationPtr make(Unit o) { return std::make_shared<UnitSteps>(o); }

}  // namespace fgnn::network
