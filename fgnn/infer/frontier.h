// The exact MAP of an instance whose factors do not reach far: a dynamic programme that visits the
// variables in their order and remembers only those that a later factor still reads.
//
// With factors that reach r variables back a state is the last r values, newest in the lowest bit,
// with the best score that leads there. States that already break a budget are dropped, so there
// are at most 2^r of them and, where budgets are tight, far fewer: D1 to D3 have 256 and less, D5
// some hundred thousand of its 2^26. They are kept as a sorted list. Appending a value keeps the
// order within those that forget a 0 and those that forget a 1, and the next list is the merge of
// the two.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "fgnn/infer/budget_problem.h"

namespace fgnn {

// Variables that a factor reaches back at most.
std::size_t reach(const BudgetProblem& instance);
constexpr std::size_t kFarthestReach = 30;

struct FrontierMap {
  std::vector<State> assignment;
  double score = kForbidden;
  std::size_t most_states = 0;  // in a list
};

// Throws Error(too_wide) above the farthest reach, and Error(too_large) when the lists of all steps
// together would have more than `limit` states (four bytes each).
FrontierMap frontier_map(const BudgetProblem& instance, std::size_t limit = std::size_t{1} << 29);

// For every variable and state of it the best score of an assignment that has it; forbidden where
// there is none. The lists forwards, and then what can still be added backwards: about three times
// the work of the map. Here states of the lists take twelve bytes each.
std::vector<std::array<double, 2>> frontier_max_marginals(const BudgetProblem& instance,
                                                          std::size_t limit = std::size_t{1} << 28);

}  // namespace fgnn
