// Aggregation that leaves the receiver out: kernels/exclude.h
#include "fgnn/kernels/exclude.h"

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class ExcludeSteps : public Steps<ExcludeSteps> {
 public:
  explicit ExcludeSteps(Exclude exclude) : o(exclude) {}

  std::string_view name() const override { return "exclude"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {o.input, o.output}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.place(o.input, {Place::edge, o.relation});
    check.like(o.output, o.input);
    check.that(o.way == Way::edge_to_factor || o.way == Way::edge_to_variable,
               "meets neither at factors nor at variables");
  }

  template <class T>
  void run(Pass<T>& p) const {
    kernels::exclude_forward<T>(node(p), p.batch().copies, p.value(o.input), p.width(o.input),
                                o.aggregate, o.temperature, mask_of(o.way, o.relation, p.batch()),
                                p.output(o.output), p.threads());
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> input = p.into(o.input);
    if (!input) return;
    kernels::exclude_backward<T>(node(p), p.batch().copies, p.value(o.input), p.value(o.output),
                                 p.gradient(o.output), p.width(o.input), o.aggregate, o.temperature,
                                 mask_of(o.way, o.relation, p.batch()), input.data(), p.threads());
  }

 private:
  template <class T>
  const Incidence& node(const Pass<T>& p) const {
    return p.structure().incidence(o.way, o.relation);
  }

  Exclude o;
};

int sample_of(Writer& w, const Scene& s, Way way, Aggregate aggregate) {
  const int x = w.linear("before", {s.variable}, 3, true, Activation::tanh);
  const int edges = w.gather(Way::variable_to_edge, 1, x, {Place::edge, 1});
  return w.exclude(way, 1, edges, aggregate, 0.8);
}

const Sample exclude_sum_sample("exclude", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Way::edge_to_variable, Aggregate::sum);
});
const Sample exclude_product_sample("exclude", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Way::edge_to_factor, Aggregate::product);
});
const Sample exclude_logsumexp_sample("exclude", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Way::edge_to_factor, Aggregate::logsumexp);
});

}  // namespace

OperationPtr make(Exclude o) { return std::make_shared<ExcludeSteps>(o); }

}  // namespace fgnn::network
