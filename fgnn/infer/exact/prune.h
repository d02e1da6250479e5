// Removing states that cannot occur: a state of a variable stays only if every factor at it has an
// allowed joint state that contains it (generalised arc consistency), propagated to the end.
#pragma once

#include <string>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn::exact {

struct Domains {
  std::vector<std::vector<State>> allowed;  // per variable, ascending
  std::string contradiction;                // what left a variable without states; empty if none
};

// All states that the unary potentials allow (prune = false: all states whatsoever).
Domains domains(const FactorGraph& graph, bool prune);

}  // namespace fgnn::exact
