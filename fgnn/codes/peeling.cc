#include "fgnn/codes/peeling.h"

#include <algorithm>
#include <numeric>

namespace fgnn::codes {
namespace {

class Peeler {
 public:
  explicit Peeler(const SparseParityMatrix& matrix)
      : matrix_(matrix), open_(matrix.num_columns(), true), degree_(matrix.num_rows()) {
    for (std::uint32_t r = 0; r < matrix.num_rows(); ++r) {
      degree_[r] = matrix.row(r).size();
      file(r);
    }
  }

  Peeling run() {
    Peeling result;
    std::vector<bool> used(matrix_.num_rows(), false);
    std::vector<bool> pivot_column(matrix_.num_columns(), false);
    // Rows only ever lose open columns: a row is filed again when it does, and entries that are out
    // of date are skipped.
    for (std::size_t degree = 1; degree < by_degree_.size();) {
      if (by_degree_[degree].empty()) {
        ++degree;
        continue;
      }
      const std::uint32_t r = by_degree_[degree].back();
      by_degree_[degree].pop_back();
      if (used[r] || degree_[r] != degree) continue;
      const std::uint32_t column = last_open(r);
      used[r] = true;
      pivot_column[column] = true;
      result.pivots.push_back({r, column});
      for (std::uint32_t c : matrix_.row(r)) {
        if (open_[c]) close(c);
      }
      degree = 1;
    }
    for (std::uint32_t r = 0; r < matrix_.num_rows(); ++r) {
      if (!used[r]) result.rows_left.push_back(r);
    }
    for (std::uint32_t c = 0; c < matrix_.num_columns(); ++c) {
      if (!pivot_column[c]) result.columns_left.push_back(c);
    }
    return result;
  }

 private:
  void file(std::uint32_t r) {
    if (degree_[r] >= by_degree_.size()) by_degree_.resize(degree_[r] + 1);
    by_degree_[degree_[r]].push_back(r);
  }
  std::uint32_t last_open(std::uint32_t r) const {
    std::uint32_t found = 0;
    for (std::uint32_t c : matrix_.row(r)) {
      if (open_[c]) found = c;
    }
    return found;
  }
  void close(std::uint32_t c) {
    open_[c] = false;
    for (std::uint32_t r : matrix_.column(c)) {
      --degree_[r];
      file(r);
    }
  }

  const SparseParityMatrix& matrix_;
  std::vector<bool> open_;
  std::vector<std::size_t> degree_;  // open columns of each row
  std::vector<std::vector<std::uint32_t>> by_degree_;
};

}  // namespace

Peeling peel(const SparseParityMatrix& matrix) { return Peeler(matrix).run(); }

Peeling nothing_peeled(const SparseParityMatrix& matrix) {
  Peeling result;
  result.rows_left.resize(matrix.num_rows());
  std::iota(result.rows_left.begin(), result.rows_left.end(), 0u);
  result.columns_left.resize(matrix.num_columns());
  std::iota(result.columns_left.begin(), result.columns_left.end(), 0u);
  return result;
}

}  // namespace fgnn::codes
