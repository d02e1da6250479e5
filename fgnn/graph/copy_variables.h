// For those who rebuild a graph with other factors.
#pragma once

#include "fgnn/graph/graph_builder.h"

namespace fgnn {

// Declares the graph's variables in an empty builder: same numbers, names and states, with their
// unary potentials and the constant.
void copy_variables(const FactorGraph& graph, GraphBuilder& builder);

}  // namespace fgnn
