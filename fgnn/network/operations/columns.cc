// Some columns of a register.
#include <algorithm>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class ColumnsSteps : public Steps<ColumnsSteps> {
 public:
  explicit ColumnsSteps(Columns columns) : o(columns) {}

  std::string_view name() const override { return "columns"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.place(o.input, check.at(o.output).place);
    check.that(o.first + check.at(o.output).width <= check.at(o.input).width,
               "asks for columns that are not there");
  }

  template <class T>
  void run(Pass<T>& p) const {
    const std::size_t width = p.width(o.output), whole = p.width(o.input);
    T* out = p.output(o.output);
    for (std::size_t r = 0; r < p.rows(o.output); ++r) {
      std::copy_n(p.value(o.input) + r * whole + o.first, width, out + r * width);
    }
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> input = p.into(o.input);
    if (!input) return;
    const std::size_t width = p.width(o.output), whole = p.width(o.input);
    std::fill_n(input.data(), p.count(o.input), T(0));
    for (std::size_t r = 0; r < p.rows(o.output); ++r) {
      std::copy_n(p.gradient(o.output) + r * width, width, input.data() + r * whole + o.first);
    }
  }

 private:
  Columns o;
};

const Sample columns_sample("columns", [](Writer& w, const Scene& s) {
  const int x = w.linear("before", {s.variable}, 5, true, Activation::tanh);
  return w.columns(x, 1, 3);
});

}  // namespace

OperationPtr make(Columns o) { return std::make_shared<ColumnsSteps>(o); }

}  // namespace fgnn::network
