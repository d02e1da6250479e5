// The synthetic models of the FGNN paper (Zhang, Dupty, Wu, Shi, Lee 2023, section 5.1 and its
// appendix), on which its MAP solvers are compared. All variables are binary.
//
// clang-format off
//   dataset  structure                     pairwise log-potentials               budgets
//   D1       chain of 30                   fixed: 0, 0.1, 0.2, 1                 k = 5
//   D2       chain of 30                   theta(1,1) ~ U[0,2], others 0         k = 5
//   D3       chain of 30                   as D2                                 k ~ 1 … order-1 each
//   D4       chain of 30                   as D2                                 none
//   tree     random binary, depth 3 … 6    all four ~ N(0,1)                     none
//   D5       grid of 12 x 12               as D2                                 k ~ 1 … 8 each
// clang-format on
//
// D5 is ours: budgets over all windows of 3 x 3, on which elimination needs 2^26 joint states and
// the relaxations are loose.
//
// Unary log-potentials are U[0,1] per state on chains, N(0,1) on trees. A budget says "at most k of
// these neighbours are one". The defaults are those of the published code (budgets over nine
// variables, where all nine exist: 22 on a chain of 30); the paper's text has eight at every node,
// and all four entries of D2 uniform in [0,1].
//
// Instance i of a seed is the same on every machine, whichever others are made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/infer/budget_problem.h"

namespace fgnn::synthetic {

struct SyntheticOptions {
  std::string dataset = "D3";
  std::size_t length = 30;  // of chains
  std::size_t side = 12;    // of D5's grid
  std::size_t order = 9;    // variables in a budget
  // Budgets at every node: its window of `order` variables, (order - 1) / 2 of them before it, cut
  // off at the ends of the chain. Otherwise only windows that are not cut off.
  bool every_node = false;
  bool pairwise_of_text = false;  // D2's pairwise potentials: all four U[0,1]
  std::uint64_t seed = 0;

  void validate() const;              // throws Error(usage)
  std::size_t widest_budget() const;  // most variables in a budget; 0: there are none
};

using SyntheticInstance = BudgetProblem;

struct SyntheticInfo {
  std::string name, description;
};

const std::vector<SyntheticInfo>& synthetic_datasets();

SyntheticInstance synthetic_instance(const SyntheticOptions& options, std::uint64_t instance);

}  // namespace fgnn::synthetic
