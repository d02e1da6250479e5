// What follows at once from the states that are left: a factor with one undecided variable forbids
// its states directly, others as their potentials know (Potential::narrow): a count that is used up
// decides all the rest, a state taken in an all-different is gone for the others. Far weaker than
// find_domains, and so cheap that every node of a branch and bound can afford it: linear in the
// size of the scopes touched.
#pragma once

#include <span>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/domains.h"

namespace fgnn::admm {

// The states that the unary potentials allow.
Domains states_left(const FactorGraph& graph);

// Until nothing more follows, from the factors at these variables (all factors when none are
// given). False when a contradiction was found; domains.contradiction names it. Throws
// Error(time_limit) once the deadline has passed.
bool propagate(const FactorGraph& graph, Domains& domains, std::span<const VariableId> changed = {},
               const Deadline& deadline = {});

}  // namespace fgnn::admm
