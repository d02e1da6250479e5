// The paper's low-rank message update as one writes it: m_i = W_i [ (.)_{j != i} W_j^T n_j ], with
// products from both ends. Every product is divided by its largest entry, so that none vanishes.
#pragma once

#include <algorithm>
#include <vector>

#include "fgnn/potentials/low_rank.h"

namespace fgnn::bench {

class PlainLowRank {
 public:
  explicit PlainLowRank(const LowRank& potential) : p_(potential) {}

  // `in` and `out` hold the states of variable 0, then those of variable 1, …; messages have
  // maximum 1. All variables are binary.
  void update(const double* in, double* out) {
    const std::size_t n = p_.shape().size(), rank = p_.rank();
    left_.assign((n + 1) * rank, 1.0);
    right_.assign((n + 1) * rank, 1.0);
    projected_.resize(n * rank);
    std::copy(p_.lambda().begin(), p_.lambda().end(), left_.begin());
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t r = 0; r < rank; ++r) {
        projected_[j * rank + r] =
            p_.weight(j, 0, r) * in[2 * j] + p_.weight(j, 1, r) * in[2 * j + 1];
      }
    }
    for (std::size_t j = 0; j < n; ++j) multiply(left_, j, j + 1, j);
    for (std::size_t j = n; j-- > 0;) multiply(right_, j + 1, j, j);
    for (std::size_t j = 0; j < n; ++j) {
      double message[2] = {0, 0};
      for (std::size_t r = 0; r < rank; ++r) {
        const double others = left_[j * rank + r] * right_[(j + 1) * rank + r];
        message[0] += p_.weight(j, 0, r) * others;
        message[1] += p_.weight(j, 1, r) * others;
      }
      const double most = std::max(message[0], message[1]);
      out[2 * j] = message[0] / most;
      out[2 * j + 1] = message[1] / most;
    }
  }

 private:
  // products[to] = products[from] (.) projected[j], largest entry 1.
  void multiply(std::vector<double>& products, std::size_t from, std::size_t to, std::size_t j) {
    const std::size_t rank = p_.rank();
    double most = 0;
    for (std::size_t r = 0; r < rank; ++r) {
      products[to * rank + r] = products[from * rank + r] * projected_[j * rank + r];
      most = std::max(most, products[to * rank + r]);
    }
    for (std::size_t r = 0; r < rank; ++r) products[to * rank + r] /= most;
  }

  const LowRank& p_;
  std::vector<double> left_, right_, projected_;
};

}  // namespace fgnn::bench
