#include "fgnn/graph/copy_variables.h"

namespace fgnn {

void copy_variables(const FactorGraph& graph, GraphBuilder& builder) {
  for (const NameBlock& block : graph.names().blocks()) {
    const auto states = graph.states().subspan(block.first, block.count);
    if (block.array) {
      builder.variables(block.name, states);
    } else {
      builder.variable(block.name, states[0]);
    }
  }
  for (VariableId v = 0; v < graph.num_variables(); ++v) builder.unary(v, graph.unary(v));
  builder.constant(graph.constant());
}

}  // namespace fgnn
