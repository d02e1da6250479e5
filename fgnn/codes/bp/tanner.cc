#include "fgnn/codes/bp/tanner.h"

#include <algorithm>

namespace fgnn::codes {

Tanner::Tanner(const SparseParityMatrix& matrix)
    : bits(matrix.num_columns()), checks(matrix.num_rows()) {
  check_begin.push_back(0);
  for (std::uint32_t c = 0; c < checks; ++c) {
    edge_bit.insert(edge_bit.end(), matrix.row(c).begin(), matrix.row(c).end());
    check_begin.push_back(static_cast<std::uint32_t>(edge_bit.size()));
    most_bits = std::max(most_bits, static_cast<std::uint32_t>(matrix.row(c).size()));
  }
  bit_begin.assign(bits + std::size_t{1}, 0);
  for (std::uint32_t b : edge_bit) ++bit_begin[b + 1];
  for (std::uint32_t b = 0; b < bits; ++b) {
    most_checks = std::max(most_checks, bit_begin[b + 1]);
    bit_begin[b + 1] += bit_begin[b];
  }
  bit_edge.resize(edge_bit.size());
  std::vector<std::uint32_t> next(bit_begin.begin(), bit_begin.end() - 1);
  for (std::uint32_t e = 0; e < edge_bit.size(); ++e) bit_edge[next[edge_bit[e]]++] = e;
}

}  // namespace fgnn::codes
