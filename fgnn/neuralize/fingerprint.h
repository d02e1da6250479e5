// Structure and potentials of a graph as a short text, the same for the same graph whatever its
// unary potentials: how a compiled network knows its graph again.
#pragma once

#include <string>

#include "fgnn/graph/factor_graph.h"

namespace fgnn::neuralize {

std::string fingerprint(const FactorGraph& graph);

}  // namespace fgnn::neuralize
