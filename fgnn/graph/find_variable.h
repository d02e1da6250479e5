// Variables by the names that users write.
#pragma once

#include <string>
#include <string_view>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// The variable called "x" or "x[3]". Throws Error(model) that opens with `subject` and names those
// that are near.
VariableId find_variable(const FactorGraph& graph, std::string_view name,
                         const std::string& subject);

}  // namespace fgnn
