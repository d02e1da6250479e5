// The parity checks of a code: a sparse matrix of bits, and the same as a factor graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// A matrix of bits by its ones, in compressed rows and columns, each sorted.
class SparseParityMatrix {
 public:
  SparseParityMatrix() = default;
  // Throws Error(model) when a row lists a column twice or one that is not there.
  SparseParityMatrix(std::uint32_t columns, std::span<const std::vector<std::uint32_t>> rows);
  // The same from all rows one after another; row r is entries starts[r] … starts[r + 1] - 1.
  SparseParityMatrix(std::uint32_t columns, std::vector<std::size_t> starts,
                     std::vector<std::uint32_t> ones);

  std::uint32_t num_columns() const { return static_cast<std::uint32_t>(column_.size() - 1); }
  std::uint32_t num_rows() const { return static_cast<std::uint32_t>(row_.size() - 1); }
  std::size_t num_ones() const { return row_columns_.size(); }
  // Columns in which row r has a one; rows in which column c has one.
  std::span<const std::uint32_t> row(std::uint32_t r) const {
    return std::span(row_columns_).subspan(row_[r], row_[r + 1] - row_[r]);
  }
  std::span<const std::uint32_t> column(std::uint32_t c) const {
    return std::span(column_rows_).subspan(column_[c], column_[c + 1] - column_[c]);
  }
  std::size_t bytes() const {
    return sizeof(std::size_t) * (row_.size() + column_.size()) +
           2 * sizeof(std::uint32_t) * num_ones();
  }
  bool operator==(const SparseParityMatrix&) const = default;

 private:
  std::vector<std::size_t> row_{0}, column_{0};  // where each starts, and the end
  std::vector<std::uint32_t> row_columns_, column_rows_;
};

// Binary variables x[0], x[1], … and one even parity check per row, all sharing one potential. A
// row without ones holds always and is left out.
FactorGraph parity_graph(const SparseParityMatrix& matrix);
// The reverse. Throws Error(unsupported) naming what is not an even parity check over bits:
// other factors, other numbers of states, unaries, a constant.
SparseParityMatrix parity_matrix(const FactorGraph& graph);

}  // namespace fgnn
