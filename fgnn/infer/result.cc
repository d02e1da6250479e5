#include "fgnn/infer/result.h"

#include <array>

namespace fgnn {

std::string_view name(Status status) {
  constexpr std::array<std::string_view, 5> kNames{"exact", "converged", "iteration_limit",
                                                   "time_limit", "infeasible"};
  return kNames[static_cast<std::size_t>(status)];
}

Marginals::Marginals(const FactorGraph& graph) {
  offset_.reserve(graph.num_variables() + 1);
  for (VariableId v = 0; v < graph.num_variables(); ++v) offset_.push_back(graph.state_offset(v));
  offset_.push_back(graph.total_states());
  values_.assign(graph.total_states(), 0.0);
}

}  // namespace fgnn
