#include "fgnn/infer/result.h"

#include <array>

namespace fgnn {

std::string_view name(Status status) {
  constexpr std::array<std::string_view, 7> kNames{"exact",      "converged", "iteration_limit",
                                                   "time_limit", "diverged",  "infeasible",
                                                   "interrupted"};
  return kNames[static_cast<std::size_t>(status)];
}

Marginals::Marginals(const FactorGraph& graph) {
  offset_.reserve(graph.num_variables() + 1);
  for (VariableId v = 0; v < graph.num_variables(); ++v) offset_.push_back(graph.state_offset(v));
  offset_.push_back(graph.total_states());
  values_.assign(graph.total_states(), 0.0);
}

Messages::Messages(const FactorGraph& graph) {
  offset_.reserve(graph.num_edges() + 1);
  offset_.push_back(0);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    offset_.push_back(offset_.back() + graph.states(graph.variable_of(e)));
  }
  values_.assign(offset_.back(), 0.0);
}

bool Messages::fits(const FactorGraph& graph) const {
  if (offset_.size() != graph.num_edges() + 1) return false;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if ((*this)[e].size() != graph.states(graph.variable_of(e))) return false;
  }
  return true;
}

}  // namespace fgnn
