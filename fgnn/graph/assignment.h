// One state for every variable of a graph.
#pragma once

#include <span>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// Throws Error(model) when the assignment has the wrong length or a state out of range.
void check_assignment(const FactorGraph& graph, std::span<const State> assignment);

}  // namespace fgnn
