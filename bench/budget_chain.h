// The model of the paper's synthetic experiments (its D3): a chain of binary variables with unary
// terms, a reward U[0,2] where two neighbours are both one, and on every window of nine a budget
// "at most k ones" with k in 1 … 8. And the dynamic programme that one would write for exactly this
// model, as a baseline: its state is the last eight bits.
#pragma once

#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn::bench {

struct BudgetChain {
  static constexpr int kLength = 30, kWindow = 9;

  std::vector<std::vector<double>> unary;     // [i][x_i]
  std::vector<std::vector<double>> pairwise;  // [i][2 x_i + x_{i+1}]
  std::vector<int> budget;                    // [i]: ones among i … i+8

  static BudgetChain random(Rng& rng);
  FactorGraph graph() const;
};

struct ChainMap {
  std::vector<State> assignment;
  double score = kForbidden;
};

ChainMap plain_map(const BudgetChain& chain);

struct ChainMarginals {
  std::vector<double> one;  // p(x_i = 1)
  double log_partition = kForbidden;
};

ChainMarginals plain_marginals(const BudgetChain& chain);

}  // namespace fgnn::bench
