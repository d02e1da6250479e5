// Edges from the k nearest variables in the space of a register (nearest.h). No gradient: who is
// near does not change by small steps.
#include "fgnn/network/nearest.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class KNearestSteps : public Steps<KNearestSteps> {
 public:
  explicit KNearestSteps(KNearest nearest) : o(nearest) {}

  std::string_view name() const override { return "k_nearest"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.place(o.input, {Place::variable});
    check.width(o.output, 0);
  }

  template <class T>
  void run(Pass<T>& p) const {
    p.set_edges(o.output, nearest<T>(p.structure(), p.batch().copies, p.value(o.input),
                                     p.width(o.input), o.neighbours));
  }
  template <class T>
  void back(Pass<T>&) const {}

 private:
  KNearest o;
};

const Sample k_nearest_sample("k_nearest", [](Writer& w, const Scene& s) {
  const int x = w.linear("x", {s.variable}, 3, true, Activation::tanh);
  const int edges = w.add_register({Place::variable}, 0);
  w.push(KNearest{x, edges, 3});
  Message m{
      Way::variable_to_graph, 0, -1, x, w.add_register({Place::variable}, 3), -1, -1, {}, edges};
  m.options = {3, 3, Activation::identity, {Aggregate::sum}, 1};
  w.push(m);
  return m.output;
});

}  // namespace

OperationPtr make(KNearest o) { return std::make_shared<KNearestSteps>(o); }

}  // namespace fgnn::network
