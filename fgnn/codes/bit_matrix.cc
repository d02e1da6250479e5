#include "fgnn/codes/bit_matrix.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace fgnn::codes {

void BitMatrix::add_row(std::size_t from, std::size_t to) {
  const std::uint64_t* source = bits_.data() + from * words_;
  std::uint64_t* target = bits_.data() + to * words_;
  for (std::size_t w = 0; w < words_; ++w) target[w] ^= source[w];
}

void BitMatrix::swap_rows(std::size_t a, std::size_t b) {
  if (a != b) std::ranges::swap_ranges(row(a), row(b));
}

namespace {

// Up to eight pivots, reduced among themselves: each has the only one in its column. What a row
// needs to be clear of them is then the sum of those in whose columns it has a one.
class PivotBlock {
 public:
  static constexpr std::size_t kMost = 8;

  explicit PivotBlock(BitMatrix& matrix) : matrix_(matrix), needs_(matrix.rows(), 0) {}

  std::size_t size() const { return columns_.size(); }
  std::size_t end() const { return first_ + size(); }  // rows before it are pivots

  // Looks for a pivot in this column among the rows after the block, and takes it.
  bool take(std::uint32_t column) {
    unsigned here = 0;  // which pivots have a one in the column
    for (std::size_t p = 0; p < size(); ++p) {
      here |= static_cast<unsigned>(matrix_.get(first_ + p, column)) << p;
    }
    std::size_t found = end();
    const auto bit = [&](std::size_t r) {
      return matrix_.get(r, column) != (std::popcount(needs_[r] & here) % 2 == 1);
    };
    while (found < matrix_.rows() && !bit(found)) ++found;
    if (found == matrix_.rows()) return false;
    for (std::size_t p = 0; p < size(); ++p) {
      if (needs_[found] >> p & 1) matrix_.add_row(first_ + p, found);
    }
    matrix_.swap_rows(found, end());
    std::swap(needs_[found], needs_[end()]);
    for (std::size_t p = 0; p < size(); ++p) {
      if (here >> p & 1) matrix_.add_row(end(), first_ + p);
    }
    const unsigned own = 1u << size();
    for (std::size_t r = 0; r < matrix_.rows(); ++r) {
      if (matrix_.get(r, column)) needs_[r] |= static_cast<std::uint8_t>(own);
    }
    columns_.push_back(column);
    return true;
  }

  // Clears all other rows of the pivots; the next block begins after them.
  void close() {
    const std::size_t words = matrix_.words(), sums = std::size_t{1} << size();
    sums_.assign(sums * words, 0);
    for (std::size_t s = 1; s < sums; ++s) {
      const std::size_t low = static_cast<std::size_t>(std::countr_zero(s));
      const auto pivot = matrix_.row(first_ + low);
      const std::uint64_t* rest = &sums_[(s & (s - 1)) * words];
      for (std::size_t w = 0; w < words; ++w) sums_[s * words + w] = rest[w] ^ pivot[w];
    }
    for (std::size_t r = 0; r < matrix_.rows(); ++r) {
      const std::uint8_t needs = std::exchange(needs_[r], std::uint8_t{0});
      if (needs == 0 || (r >= first_ && r < end())) continue;
      const std::uint64_t* sum = &sums_[needs * words];
      const auto row = matrix_.row(r);
      for (std::size_t w = 0; w < words; ++w) row[w] ^= sum[w];
    }
    first_ = end();
    columns_.clear();
  }

 private:
  BitMatrix& matrix_;
  std::vector<std::uint8_t> needs_;  // per row: the pivots in whose columns it has a one
  std::size_t first_ = 0;
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::vector<std::uint32_t> reduce(BitMatrix& matrix, std::span<const std::uint32_t> column_order,
                                  const Budget* budget) {
  std::vector<std::uint32_t> pivots;
  PivotBlock block(matrix);
  for (const std::uint32_t column : column_order) {
    if (pivots.size() == matrix.rows()) break;
    if (!block.take(column)) continue;
    pivots.push_back(column);
    if (block.size() < PivotBlock::kMost) continue;
    block.close();
    if (budget != nullptr) budget->check_time();
  }
  block.close();
  return pivots;
}

bool odd_overlap(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < a.size(); ++w) sum ^= a[w] & b[w];
  return std::popcount(sum) % 2 != 0;
}

}  // namespace fgnn::codes
