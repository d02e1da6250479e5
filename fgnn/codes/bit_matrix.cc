#include "fgnn/codes/bit_matrix.h"

#include <algorithm>
#include <bit>

namespace fgnn::codes {

void BitMatrix::add_row(std::size_t from, std::size_t to) {
  const std::uint64_t* source = bits_.data() + from * words_;
  std::uint64_t* target = bits_.data() + to * words_;
  for (std::size_t w = 0; w < words_; ++w) target[w] ^= source[w];
}

void BitMatrix::swap_rows(std::size_t a, std::size_t b) {
  if (a != b) std::ranges::swap_ranges(row(a), row(b));
}

std::vector<std::uint32_t> reduce(BitMatrix& matrix, std::span<const std::uint32_t> column_order) {
  std::vector<std::uint32_t> pivots;
  for (const std::uint32_t column : column_order) {
    const std::size_t next = pivots.size();
    std::size_t found = next;
    while (found < matrix.rows() && !matrix.get(found, column)) ++found;
    if (found == matrix.rows()) continue;
    matrix.swap_rows(found, next);
    for (std::size_t r = 0; r < matrix.rows(); ++r) {
      if (r != next && matrix.get(r, column)) matrix.add_row(next, r);
    }
    pivots.push_back(column);
    if (pivots.size() == matrix.rows()) break;
  }
  return pivots;
}

bool odd_overlap(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < a.size(); ++w) sum ^= a[w] & b[w];
  return std::popcount(sum) % 2 != 0;
}

}  // namespace fgnn::codes
