// Convolutions of rows that are images: kernels/convolution.h
#include "fgnn/kernels/convolution.h"

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class ConvolutionSteps : public Steps<ConvolutionSteps> {
 public:
  explicit ConvolutionSteps(Convolution convolution) : o(convolution) {}

  std::string_view name() const override { return "convolution"; }
  Ports ports() const override { return {{o.input}, o.output, {o.weight, o.bias}, {o.input}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.that(o.size % 2 == 1, "has an even size");
    check.place(o.input, check.at(o.output).place);
    check.width(o.input, o.shape.numbers());
    check.parameter(o.weight);
    check.shape(o.weight, {static_cast<std::int64_t>(o.size * o.size * o.shape.channels), -1});
    const std::size_t out = channels(program);
    check.width(o.output, o.shape.pixels() * out);
    check.shape(o.bias, out);
  }
  double arithmetic(const Program& program, const Structure& structure) const override {
    return 2 * static_cast<double>(rows(structure, 1, program.registers[o.output].place)) *
           static_cast<double>(o.shape.pixels()) *
           static_cast<double>(program.parameters[o.weight].count());
  }

  template <class T>
  void run(Pass<T>& p) const {
    kernels::convolution_forward<T>(o.shape, o.size, channels(p.program()), p.rows(o.output),
                                    p.value(o.input), p.weight(o.weight), p.weight(o.bias),
                                    p.output(o.output), p.threads());
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> input = p.into(o.input);
    const Into<T> weight = p.into_weight(o.weight), bias = p.into_weight(o.bias);
    kernels::convolution_backward<T>(o.shape, o.size, channels(p.program()), p.rows(o.output),
                                     p.value(o.input), p.weight(o.weight), p.gradient(o.output),
                                     input.data(), weight.data(), bias.data(), p.threads());
  }

 private:
  std::size_t channels(const Program& program) const {
    return static_cast<std::size_t>(program.parameters[o.weight].shape[1]);
  }

  Convolution o;
};

const Sample convolution_sample("convolution", [](Writer& w, const Scene& s) {
  const int x = w.linear("image", {s.variable}, 3 * 4 * 2, true, Activation::tanh);
  const int output = w.add_register({Place::variable}, 3 * 4 * 3);
  w.push(Convolution{x,
                     w.parameter("weight", {9 * 2, 3}, 0.5),
                     w.parameter("bias", {3}, 0.5),
                     output,
                     {3, 4, 2},
                     3});
  return output;
});

}  // namespace

OperationPtr make(Convolution o) { return std::make_shared<ConvolutionSteps>(o); }

}  // namespace fgnn::network
