// output = act(inputs weight + bias): kernels/linear.h
#include "fgnn/kernels/linear.h"

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class LinearSteps : public Steps<LinearSteps> {
 public:
  explicit LinearSteps(Linear linear) : o(std::move(linear)) {}

  std::string_view name() const override { return "linear"; }
  Ports ports() const override {
    Ports p{o.inputs, o.output, {o.weight, o.bias}, o.inputs};
    if (o.activation != Activation::identity) p.again.push_back(o.output);
    return p;
  }
  void check(const Program& program) const override {
    const Check check(name(), program);
    std::int64_t width = 0;
    check.that(!o.inputs.empty(), "has no input");
    for (const int i : o.inputs) {
      check.place(i, check.at(o.output).place);
      width += static_cast<std::int64_t>(check.at(i).width);
    }
    const std::size_t out = check.at(o.output).width;
    check.parameter(o.weight);
    check.shape(o.weight, {width, static_cast<std::int64_t>(out)});
    check.shape(o.bias, out);
  }
  double arithmetic(const Program& program, const Structure& structure) const override {
    return 2 * static_cast<double>(rows(structure, 1, program.registers[o.output].place)) *
           static_cast<double>(program.parameters[o.weight].count());
  }

  template <class T>
  void run(Pass<T>& p) const {
    kernels::linear_forward<T>(inputs(p), p.rows(o.output), p.weight(o.weight), p.weight(o.bias),
                               p.width(o.output), o.activation, p.output(o.output), p.threads());
  }

  std::size_t prepared(const Program& program) const override {
    return program.parameters[o.weight].count();
  }
  template <class T>
  void make(const Program& program, std::span<T* const> weights, T* transposed) const {
    std::vector<std::size_t> widths;
    for (const int i : o.inputs) widths.push_back(program.registers[i].width);
    kernels::linear_transpose<T>(widths, weights[o.weight], program.registers[o.output].width,
                                 transposed);
  }

  template <class T>
  void back(Pass<T>& p) const {
    std::vector<kernels::RowsGradient<T>> gradients;
    for (const int i : o.inputs) gradients.push_back(p.add_into(i));
    const Into<T> weight = p.into_weight(o.weight), bias = p.into_weight(o.bias);
    kernels::linear_backward<T>(inputs(p), p.rows(o.output), p.prepared(), p.width(o.output),
                                o.activation, p.value(o.output), p.gradient(o.output), gradients,
                                weight.data(), bias.data(), p.threads());
  }

 private:
  template <class T>
  std::vector<kernels::Rows<T>> inputs(const Pass<T>& p) const {
    std::vector<kernels::Rows<T>> all;
    for (const int i : o.inputs) all.push_back({p.value(i), p.width(i)});
    return all;
  }

  Linear o;
};

const Sample linear_sample("linear", [](Writer& w, const Scene& s) {
  const int x = w.linear("first", {s.variable}, 5, false, Activation::tanh);
  return w.linear("second", {x, s.variable, x}, 3, true, Activation::relu);
});

}  // namespace

OperationPtr make(Linear o) { return std::make_shared<LinearSteps>(std::move(o)); }

}  // namespace fgnn::network
