// The variables of every graph mixed by one matrix: output = matrix input + bias, where the rows of
// a graph are a matrix, and all graphs have as many.
#include <algorithm>

#include "fgnn/kernels/gemm.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class MixSteps : public Steps<MixSteps> {
 public:
  explicit MixSteps(Mix mix) : o(mix) {}

  std::string_view name() const override { return "mix"; }
  Ports ports() const override { return {{o.input}, o.output, {o.matrix, o.bias}, {o.input}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.place(o.input, {Place::variable});
    check.like(o.input, o.output);
    const auto n = static_cast<std::int64_t>(program.variables);
    check.that(n > 0, "needs graphs of one size");
    check.shape(o.matrix, {n, n});
    check.shape(o.bias, check.at(o.output).width);
  }
  double arithmetic(const Program& program, const Structure& structure) const override {
    return 2 * static_cast<double>(structure.variables() * program.variables *
                                   program.registers[o.output].width);
  }

  template <class T>
  void run(Pass<T>& p) const {
    const std::size_t n = p.program().variables, w = p.width(o.output);
    T* out = p.output(o.output);
    for (std::size_t at = 0; at < p.count(o.output); at += n * w) {
      kernels::gemm(n, w, n, p.weight(o.matrix), n, 1, p.value(o.input) + at, w, out + at, w, false,
                    p.weight(o.bias));
    }
  }

  template <class T>
  void back(Pass<T>& p) const {
    const std::size_t n = p.program().variables, w = p.width(o.output);
    const Into<T> input = p.into(o.input), matrix = p.into_weight(o.matrix),
                  bias = p.into_weight(o.bias);
    std::fill_n(matrix.data(), n * n, T(0));
    if (bias) std::fill_n(bias.data(), w, T(0));
    T* columns = p.scratch(n * w);
    for (std::size_t at = 0; at < p.count(o.output); at += n * w) {
      const T* dy = p.gradient(o.output) + at;
      kernels::transpose(p.value(o.input) + at, n, w, columns);
      kernels::gemm(n, n, w, dy, w, 1, columns, n, matrix.data(), n, true);
      if (input) {
        kernels::gemm(n, w, n, p.weight(o.matrix), 1, n, dy, w, input.data() + at, w, false);
      }
      for (std::size_t r = 0; bias && r < n; ++r) kernels::add(dy + r * w, bias.data(), w);
    }
    p.give_back(columns);
  }

 private:
  Mix o;
};

const Sample mix_sample("mix", [](Writer& w, const Scene& s) {
  w.program.variables = 6;
  const int x = w.linear("x", {s.variable}, 3, true, Activation::tanh);
  const int output = w.add_register({Place::variable}, 3);
  w.push(Mix{x, w.parameter("between", {6, 6}, 0.5), w.parameter("bias", {3}, 0.5), output});
  return output;
});

}  // namespace

OperationPtr make(Mix o) { return std::make_shared<MixSteps>(o); }

}  // namespace fgnn::network
