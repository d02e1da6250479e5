// Dense matrices of bits, 64 to a word, and their elimination over GF(2). Reducing m rows of n bits
// costs about m * rank * n / (64 * 8) word operations: pivots are taken eight at a time, and a row
// then needs one addition, of one of their 256 sums (the method of the four Russians).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/core/budget.h"

namespace fgnn::codes {

class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), words_((columns + 63) / 64), bits_(rows * words_, 0) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t words() const { return words_; }  // per row; bits beyond the columns are zero
  std::span<std::uint64_t> row(std::size_t r) { return {bits_.data() + r * words_, words_}; }
  std::span<const std::uint64_t> row(std::size_t r) const {
    return {bits_.data() + r * words_, words_};
  }
  bool get(std::size_t r, std::size_t c) const { return bits_[r * words_ + c / 64] >> c % 64 & 1; }
  void set(std::size_t r, std::size_t c) {
    bits_[r * words_ + c / 64] |= std::uint64_t{1} << c % 64;
  }
  void flip(std::size_t r, std::size_t c) {
    bits_[r * words_ + c / 64] ^= std::uint64_t{1} << c % 64;
  }
  void add_row(std::size_t from, std::size_t to);  // to += from
  void swap_rows(std::size_t a, std::size_t b);

 private:
  std::size_t rows_ = 0, columns_ = 0, words_ = 0;
  std::vector<std::uint64_t> bits_;
};

// Gauss-Jordan elimination that takes pivots among the columns in this order. Returns the pivot
// columns: row i of the result is the only one with a one in column pivots[i]. The rows after the
// pivots are zero in the columns tried.
// With a budget, throws Error(time_limit) when its time is over.
std::vector<std::uint32_t> reduce(BitMatrix& matrix, std::span<const std::uint32_t> column_order,
                                  const Budget* budget = nullptr);

// Whether the number of ones that both rows have is odd.
bool odd_overlap(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace fgnn::codes
