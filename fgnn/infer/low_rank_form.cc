#include "fgnn/infer/low_rank_form.h"

#include <map>
#include <utility>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/low_rank.h"

namespace fgnn {
namespace {

void declare_variables(const FactorGraph& graph, GraphBuilder& builder) {
  for (const NameBlock& block : graph.names().blocks()) {
    const auto states = graph.states().subspan(block.first, block.count);
    if (block.array) {
      builder.variables(block.name, states);
    } else {
      builder.variable(block.name, states[0]);
    }
  }
  for (VariableId v = 0; v < graph.num_variables(); ++v) builder.unary(v, graph.unary(v));
}

}  // namespace

LowRankForm low_rank_form(const FactorGraph& graph) {
  GraphBuilder builder;
  builder.reserve(graph.num_variables(), graph.num_factors(), graph.num_edges());
  declare_variables(graph, builder);
  builder.constant(graph.constant());
  LowRankForm form;
  // Factors that share a potential and a shape go on sharing.
  std::map<std::pair<std::uint32_t, std::vector<State>>, std::shared_ptr<const Potential>> known;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const std::shared_ptr<const Potential>& old = graph.shared_potential(graph.potential_index(c));
    auto [at, fresh] = known.try_emplace({graph.potential_index(c), graph.shape(c)}, old);
    if (fresh) {
      if (auto low = old->low_rank(graph.shape(c))) at->second = std::move(low);
    }
    const bool was = old->kind() == "low-rank", is = at->second->kind() == "low-rank";
    form.replaced += is && !was;
    form.kept += !is;
    builder.factor(graph.scope(c), at->second);
  }
  form.graph = std::move(builder).build();
  return form;
}

}  // namespace fgnn
