// The potential of a factor as sums and maxima of rank-1 terms, exactly, as compiled networks need
// it.
#pragma once

#include <memory>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/max_rank_one.h"

namespace fgnn::neuralize {

// Both throw Error(unsupported) naming the factor when there is no such form of acceptable size
// (compile.h), Error(model) when it forbids every joint state.

// Where terms are signed, one more than the form has: a floor of the size of their rounding.
std::shared_ptr<const LowRank> sum_form(const FactorGraph& graph, FactorId c);
std::shared_ptr<const MaxRankOne> max_form(const FactorGraph& graph, FactorId c);

}  // namespace fgnn::neuralize
