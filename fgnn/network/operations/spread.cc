// From kinds of edges to edges: every edge gets the row of its kind.
#include <algorithm>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class SpreadSteps : public Steps<SpreadSteps> {
 public:
  explicit SpreadSteps(Spread spread) : o(spread) {}

  std::string_view name() const override { return "spread"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.place(o.input, {Place::kind, o.relation});
    check.place(o.output, {Place::edge, o.relation});
    check.width(o.input, check.at(o.output).width);
  }

  template <class T>
  void run(Pass<T>& p) const {
    const std::size_t width = p.width(o.output);
    T* out = p.output(o.output);
    each_edge(p, [&](std::size_t edge, std::size_t kind) {
      std::copy_n(p.value(o.input) + kind * width, width, out + edge * width);
    });
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> input = p.into(o.input);
    if (!input) return;
    const std::size_t width = p.width(o.output);
    std::fill_n(input.data(), p.count(o.input), T(0));
    each_edge(p, [&](std::size_t edge, std::size_t kind) {
      const T* from = p.gradient(o.output) + edge * width;
      for (std::size_t j = 0; j < width; ++j) input.data()[kind * width + j] += from[j];
    });
  }

 private:
  // Calls body(row of the edge, row of its kind).
  template <class T, class Body>
  void each_edge(const Pass<T>& p, Body body) const {
    const Relation& r = p.structure().relations()[o.relation];
    for (std::size_t copy = 0; copy < p.batch().copies; ++copy) {
      const std::size_t first = r.own_kinds ? copy * r.kinds : 0;
      for (std::size_t e = 0; e < r.edges(); ++e) {
        body(copy * r.edges() + e, first + (r.kind.empty() ? 0 : r.kind[e]));
      }
    }
  }

  Spread o;
};

const Sample spread_sample("spread", [](Writer& w, const Scene& s) {
  return w.spread(1, w.linear("rows", {s.kind[1]}, 3, true, Activation::tanh));
});

}  // namespace

OperationPtr make(Spread o) { return std::make_shared<SpreadSteps>(o); }

}  // namespace fgnn::network
