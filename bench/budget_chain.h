// Baselines for chains with budgets (fgnn/experiments/synthetic/instances.h, the paper's D1 to D3):
// the dynamic programme that one would write for exactly this model. Its state is the last eight
// bits.
#pragma once

#include <vector>

#include "fgnn/experiments/synthetic/instances.h"

namespace fgnn::bench {

struct ChainMap {
  std::vector<State> assignment;
  double score = kForbidden;
};

// For chains whose budgets are the full windows of nine, in order.
ChainMap plain_map(const synthetic::SyntheticInstance& chain);

struct ChainMarginals {
  std::vector<double> one;  // p(x_i = 1)
  double log_partition = kForbidden;
};

ChainMarginals plain_marginals(const synthetic::SyntheticInstance& chain);

}  // namespace fgnn::bench
