// What a graph looks like, in numbers, and how its parts hang together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

struct Components {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> of_variable;  // component number, counted by first variable
};

Components connected_components(const FactorGraph& graph);

struct Range {
  double min = 0, mean = 0, max = 0;
};

struct Statistics {
  std::size_t variables = 0, factors = 0, edges = 0, potentials = 0;
  Range states, arity, degree;
  std::size_t isolated_variables = 0;  // in no factor
  std::uint32_t components = 0;
  bool forest = false;  // no cycles: belief propagation is exact
  std::map<std::string, std::size_t> factors_by_kind;
  std::uint64_t largest_table = 0;  // joint states of the largest factor, saturating
  std::size_t bytes = 0;            // held by the graph
  std::size_t message_bytes = 0;    // one double per edge and state, both directions
};

Statistics statistics(const FactorGraph& graph);

// Some unary log-value of the variable is not zero.
bool has_unary(const FactorGraph& graph, VariableId v);

}  // namespace fgnn
