// Probabilities from logarithms, column by column over the rows of each graph: kernels/softmax.h
#include "fgnn/kernels/softmax.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class GraphSoftmaxSteps : public Steps<GraphSoftmaxSteps> {
 public:
  explicit GraphSoftmaxSteps(GraphSoftmax softmax) : o(softmax) {}

  std::string_view name() const override { return "graph_softmax"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {o.output}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.input, o.output);
    check.that(check.at(o.input).place.rows != Place::kind, "needs rows by graph");
  }

  template <class T>
  void run(Pass<T>& p) const {
    kernels::softmax_columns_forward<T>(p.value(o.input), graphs(p), p.width(o.output),
                                        p.output(o.output));
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> input = p.into(o.input);
    if (!input) return;
    kernels::softmax_columns_backward<T>(p.value(o.output), p.gradient(o.output), graphs(p),
                                         p.width(o.output), input.data());
  }

 private:
  template <class T>
  std::vector<std::size_t> graphs(const Pass<T>& p) const {
    return graph_rows(p.structure(), p.batch().copies, p.program().registers[o.output].place);
  }

  GraphSoftmax o;
};

const Sample graph_softmax_sample("graph_softmax", [](Writer& w, const Scene& s) {
  const int x = w.linear("before", {s.variable}, 4, true, Activation::identity);
  const int output = w.add_register({Place::variable}, 4);
  w.push(GraphSoftmax{x, output});
  return output;
});

}  // namespace

OperationPtr make(GraphSoftmax o) { return std::make_shared<GraphSoftmaxSteps>(o); }

}  // namespace fgnn::network
