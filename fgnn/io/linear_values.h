// Graphs to files that hold potentials themselves, not their logarithms (UAI, libDAI).
#pragma once

#include <string>

#include "fgnn/core/budget.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/potentials/table.h"

namespace fgnn {

// exp(log_value). Throws Error(unsupported) naming the subject when a finite logarithm has no
// normal double as its exponential.
double to_linear(double log_value, const std::string& subject);

// The factor's table of log-values, last variable fastest. Throws Error(unsupported) naming the
// factor above kMaxTableEntries, and Error(too_large) or Error(time_limit) beyond the budget.
Table expanded(const FactorGraph& graph, FactorId c, Budget* budget = nullptr);
// Only the check, at no cost.
void check_expandable(const FactorGraph& graph, FactorId c);

}  // namespace fgnn
