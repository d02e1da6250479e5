// The bipartite graph of a parity-check matrix as flat arrays: edges are counted check by check.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/codes/parity_matrix.h"

namespace fgnn::codes {

struct Tanner {
  explicit Tanner(const SparseParityMatrix& checks);

  std::uint32_t bits = 0, checks = 0;
  std::vector<std::uint32_t> check_begin;  // first edge of each check, and the end
  std::vector<std::uint32_t> edge_bit;
  std::vector<std::uint32_t> bit_begin;  // first of bit_edge of each bit, and the end
  std::vector<std::uint32_t> bit_edge;
  std::uint32_t most_bits = 0, most_checks = 0;  // largest degrees of a check and of a bit

  std::uint32_t edges() const { return check_begin.back(); }
};

}  // namespace fgnn::codes
