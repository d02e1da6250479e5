// From beliefs to an assignment.
#pragma once

#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

// Every variable takes the state of its best belief; ties go to the lowest state. What the paper's
// baselines do: fast, and wrong where beliefs tie or break a constraint.
std::vector<State> decode_each(const FactorGraph& graph, const Marginals& log_beliefs);

// One variable after another, surest first: each takes its best state given the messages and the
// variables already fixed (factors whose other variables are all fixed count with their true
// value). Consistent where max-product has a unique fixed point, and resolves ties. Past the
// deadline the variables that are left take their best states as things stand.
std::vector<State> decode_in_turn(const FactorGraph& graph, const Messages& messages,
                                  const Deadline& deadline = {});

}  // namespace fgnn
