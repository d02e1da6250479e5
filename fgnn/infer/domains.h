// The states that are left to each variable, and removing those that cannot occur: a state of a
// variable stays only if every factor at it has an allowed joint state that contains it
// (generalised arc consistency), propagated to the end.
#pragma once

#include <string>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

struct Domains {
  std::vector<std::vector<State>> allowed;  // per variable, ascending
  std::string contradiction;                // what left a variable without states; empty if none
};

// All states that the unary potentials allow (prune = false: all states whatsoever). Throws
// Error(time_limit) once the deadline has passed.
Domains find_domains(const FactorGraph& graph, bool prune, const Deadline& deadline = {});

// The graph with all other states forbidden by its unary potentials.
FactorGraph restricted(const FactorGraph& graph, const Domains& domains);

// Memory that they take, at most.
std::uint64_t domain_bytes(const FactorGraph& graph);

}  // namespace fgnn
