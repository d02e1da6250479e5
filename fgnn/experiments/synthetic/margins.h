// How sure the exact MAP is of each variable: how much the best score falls when it must take its
// other state. By max-marginals where the dynamic programme of infer/frontier.h suits the
// instance, else by one more exact search for every variable.
#pragma once

#include <span>
#include <vector>

#include "fgnn/experiments/synthetic/instances.h"

namespace fgnn::synthetic {

// Of an assignment that breaks no budget.
double score(const SyntheticInstance& instance, std::span<const State> states);

// `best` is the exact MAP. Infinite where no allowed assignment has the other state.
std::vector<double> margins(const SyntheticInstance& instance, std::span<const State> best);

}  // namespace fgnn::synthetic
