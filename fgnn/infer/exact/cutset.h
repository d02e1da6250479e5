// Conditioning. With the variables of a cut set held, what is left is narrower:
//   Z = sum_c Z(c),   max_x score(x) = max_c max_x score(x | c),
// over the joint states c of the cut set, each of which costs an elimination of the rest. The set
// is found greedily: the variable whose removal saves most memory under the present order, per
// doubling of the branches; then a new order of the rest, until it fits. Variables that turn out
// not to be needed are taken back.
#pragma once

#include "fgnn/infer/exact/draft.h"

namespace fgnn::exact {

// Leaves the draft as it is when no cut set with options.max_branches joint states at most makes it
// fit options.max_bytes, or when the branches would take too many operations for any machine.
void condition(Draft& draft, const FactorGraph& graph, const Domains& domains, ExactTask task,
               const ExactOptions& options, Budget& budget);

}  // namespace fgnn::exact
