// Small parity-check matrices for tests, of any rank.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/io/alist.h"

namespace fgnn::testing {

// Each entry is a one with probability 1/sparsity; rows may be empty or dependent.
inline SparseParityMatrix random_matrix(Rng& rng, std::uint32_t rows, std::uint32_t columns,
                                        std::uint32_t sparsity = 3) {
  std::vector<std::vector<std::uint32_t>> lists(rows);
  for (auto& row : lists) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      if (rng.below(sparsity) == 0) row.push_back(c);
    }
  }
  return {columns, lists};
}

// The (7,4) code of Hamming.
inline SparseParityMatrix hamming() {
  const std::vector<std::vector<std::uint32_t>> rows{{0, 1, 3, 4}, {0, 2, 3, 5}, {1, 2, 3, 6}};
  return {7, rows};
}

}  // namespace fgnn::testing
