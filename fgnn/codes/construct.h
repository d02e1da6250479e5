// Parity-check matrices from nothing but a seed, and changes to given ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/codes/parity_matrix.h"

namespace fgnn::codes {

struct RegularOptions {
  std::uint32_t length = 0;         // n columns
  std::uint32_t column_weight = 3;  // dv
  std::uint32_t row_weight = 6;     // dc; n * dv / dc rows
  std::uint64_t seed = 0;
};

// Gallager's ensemble by matching sockets at random; double edges are swapped away. O(ones).
// Throws Error(usage) when n * dv is not a multiple of dc, or the weights cannot be had.
SparseParityMatrix random_regular(const RegularOptions& options);

struct PegOptions {
  std::uint32_t length = 0, checks = 0;
  std::uint32_t column_weight = 3;
  std::uint64_t seed = 0;
  // Stop looking for longer cycles than this: 0 looks as far as the graph goes, which costs
  // O(n * dv * ones); a limit of 8 makes codes of 10^5 bits in seconds.
  std::uint32_t girth = 0;
};

// Progressive edge growth (Hu, Eleftheriou, Arnold 2005): every edge goes to a check that is as far
// away as possible, among these to one with the fewest edges, ties by the seed. Throws
// Error(usage).
SparseParityMatrix progressive_edge_growth(const PegOptions& options);

struct Entry {
  std::uint32_t row = 0, column = 0;  // from 0
};

// The matrix with further ones. Throws Error(usage) naming an entry that is outside, or a one
// already.
SparseParityMatrix with_ones(const SparseParityMatrix& matrix, std::span<const Entry> entries);

// The entries that turn MacKay's 96.3.963 (rank 46) into the matrix of rank 48 with which the
// paper's experiment encodes.
inline constexpr Entry kPaperOnes[] = {{31, 79}, {45, 93}, {47, 84}};

}  // namespace fgnn::codes
