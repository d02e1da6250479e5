// Triangular part of a sparse matrix, for elimination without filling it up: an order of pivots
// (row, column) such that a pivot's row has ones only in pivot columns before it and in columns
// that were not peeled. Greedy: the row with the fewest open columns is next; all but one of these
// are declared known. Linear in the number of ones.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/codes/parity_matrix.h"

namespace fgnn::codes {

struct Peeling {
  struct Pivot {
    std::uint32_t row, column;
  };
  std::vector<Pivot> pivots;
  std::vector<std::uint32_t> rows_left, columns_left;  // ascending
};

Peeling peel(const SparseParityMatrix& matrix);
Peeling nothing_peeled(const SparseParityMatrix& matrix);

}  // namespace fgnn::codes
