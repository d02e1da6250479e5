#include "fgnn/infer/low_rank_form.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "fgnn/graph/copy_variables.h"
#include "fgnn/potentials/low_rank.h"

namespace fgnn {

LowRankForm low_rank_form(const FactorGraph& graph) {
  GraphBuilder builder;
  builder.reserve(graph.num_variables(), graph.num_factors(), graph.num_edges());
  copy_variables(graph, builder);
  LowRankForm form;
  // Factors that share a potential and a shape go on sharing.
  std::map<std::pair<std::uint32_t, std::vector<State>>, std::shared_ptr<const Potential>> known;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const std::shared_ptr<const Potential>& old = graph.shared_potential(graph.potential_index(c));
    auto [at, fresh] = known.try_emplace({graph.potential_index(c), graph.shape(c)}, old);
    if (fresh) {
      if (auto low = old->low_rank(graph.shape(c))) at->second = std::move(low);
    }
    const bool was = old->stored().sum != nullptr, is = at->second->stored().sum != nullptr;
    form.replaced += is && !was;
    form.kept += !is;
    builder.factor(graph.scope(c), at->second);
  }
  form.graph = std::move(builder).build();
  return form;
}

}  // namespace fgnn
