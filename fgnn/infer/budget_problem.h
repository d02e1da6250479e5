// Binary variables joined by pairs and by budgets ("at most k of these are one"), as plain numbers,
// for those who need more than the graph: learners read features from them, infer/frontier.h solves
// them directly.
#pragma once

#include <array>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

struct BudgetProblem {
  struct Pair {
    VariableId first, second;
    std::array<double, 4> values;  // [2 x_first + x_second]
  };
  struct Budget {
    std::vector<VariableId> scope;  // consecutive on chains
    std::size_t most;               // ones allowed
  };

  std::vector<std::array<double, 2>> unary;
  std::vector<Pair> pairs;
  std::vector<Budget> budgets;

  // Variables x[0] …; the pairs' factors come first, then the budgets'.
  FactorGraph graph() const;
};

}  // namespace fgnn
