// A linear-chain conditional random field on top of a network (Lafferty et al. 2001): the network
// gives log-potentials of variables and of neighbouring pairs, sum-product the rest.
//
//   log p(y) = sum_i theta_i(y_i) + sum_{i > 0} psi_i(y_{i-1}, y_i) - log Z
//
// log Z and the marginals come from infer/belief_propagation.h, exact on a chain, and the gradient
// is what the beliefs expect minus what was seen:
//
//   d log p / d theta_i(s) = [y_i = s] - b_i(s)
//   d log p / d psi_i(s, t) = [y_{i-1} = s, y_i = t] - b_{i-1,i}(s, t)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn::tasks {

// Rows as network/builder.h's Chain(k) writes them: k numbers theta_i, then k * k of psi_i, row by
// row of the earlier variable's state. psi_0 is not used.
struct ChainRows {
  std::span<const float> numbers;
  std::size_t states = 0;

  // From the width of a row, k + k * k. Throws Error(usage) for other widths.
  static ChainRows of(std::span<const float> numbers, std::size_t width);
  std::size_t width() const { return states + states * states; }
  std::size_t length() const { return numbers.size() / width(); }
};

FactorGraph chain_graph(const ChainRows& rows);

// The probabilities of each variable's states, row by row.
std::vector<double> chain_marginals(const ChainRows& rows);

// log p of these labels; `gradient` (as many numbers as the rows have) gets its derivative, and may
// be empty. `marginals`, where asked for, are those of chain_marginals: both come from one pass.
double chain_log_likelihood(const ChainRows& rows, std::span<const std::int64_t> labels,
                            std::span<float> gradient, std::vector<double>* marginals = nullptr);

}  // namespace fgnn::tasks
