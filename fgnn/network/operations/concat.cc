// Registers side by side, for those who need them in one; linear maps do not.
#include <algorithm>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class ConcatSteps : public Steps<ConcatSteps> {
 public:
  explicit ConcatSteps(Concat concat) : o(std::move(concat)) {}

  std::string_view name() const override { return "concat"; }
  Ports ports() const override { return {o.inputs, o.output, {}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    std::size_t width = 0;
    for (const int i : o.inputs) {
      check.place(i, check.at(o.output).place);
      width += check.at(i).width;
    }
    check.width(o.output, width);
  }

  template <class T>
  void run(Pass<T>& p) const {
    T* out = p.output(o.output);
    for (const int i : o.inputs) {
      const std::size_t width = p.width(i);
      for (std::size_t r = 0; r < p.rows(i); ++r) {
        std::copy_n(p.value(i) + r * width, width, out + r * p.width(o.output));
      }
      out += width;
    }
  }

  template <class T>
  void back(Pass<T>& p) const {
    const T* gradient = p.gradient(o.output);
    for (const int i : o.inputs) {
      const std::size_t width = p.width(i);
      const Into<T> input = p.into(i);
      for (std::size_t r = 0; input && r < p.rows(i); ++r) {
        std::copy_n(gradient + r * p.width(o.output), width, input.data() + r * width);
      }
      gradient += width;
    }
  }

 private:
  Concat o;
};

const Sample concat_sample("concat", [](Writer& w, const Scene& s) {
  const int x = w.linear("x", {s.variable}, 3, true, Activation::tanh);
  return w.concat({x, s.variable, x});
});

}  // namespace

OperationPtr make(Concat o) { return std::make_shared<ConcatSteps>(std::move(o)); }

}  // namespace fgnn::network
