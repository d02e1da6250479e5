#include "fgnn/graph/assignment.h"

#include <fmt/core.h>

#include "fgnn/core/error.h"

namespace fgnn {

void check_assignment(const FactorGraph& graph, std::span<const State> assignment) {
  if (assignment.size() != graph.num_variables()) {
    throw Error(
        ErrorCode::model, "assignment",
        fmt::format("{} states for {} variables", assignment.size(), graph.num_variables()));
  }
  for (VariableId v = 0; v < assignment.size(); ++v) {
    if (assignment[v] >= graph.states(v)) {
      throw Error(
          ErrorCode::model, graph.name(v),
          fmt::format("state {} is out of range, it has {}", assignment[v], graph.states(v)));
    }
  }
}

}  // namespace fgnn
