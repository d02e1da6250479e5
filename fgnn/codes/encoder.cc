#include "fgnn/codes/encoder.h"

#include <algorithm>
#include <numeric>

#include "fgnn/codes/peeling.h"

namespace fgnn::codes {
namespace {

// The rows that peeling left, written in columns that were not peeled. A pivot's row holds earlier
// pivots only, so that substituting from the last one removes them all.
BitMatrix residual(const SparseParityMatrix& checks, const Peeling& peeling) {
  BitMatrix rows(peeling.rows_left.size(), checks.num_columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::uint32_t c : checks.row(peeling.rows_left[i])) rows.set(i, c);
    for (std::size_t p = peeling.pivots.size(); p-- > 0;) {
      const auto [row, column] = peeling.pivots[p];
      if (!rows.get(i, column)) continue;
      for (std::uint32_t c : checks.row(row)) rows.flip(i, c);
    }
  }
  return rows;
}

}  // namespace

Encoder::Encoder(const SparseParityMatrix& checks, std::uint32_t dense_length)
    : length_(checks.num_columns()) {
  const Peeling peeling = length_ > dense_length ? peel(checks) : nothing_peeled(checks);
  BitMatrix rows = residual(checks, peeling);
  std::vector<std::uint32_t> from_right(peeling.columns_left.rbegin(), peeling.columns_left.rend());
  dense_columns_ = reduce(rows, from_right);
  std::vector<bool> dependent(length_, false);
  for (std::uint32_t c : dense_columns_) dependent[c] = true;
  for (std::uint32_t c : peeling.columns_left) {
    if (!dependent[c]) information_.push_back(c);
  }
  dense_ = BitMatrix(dense_columns_.size(), information_.size());
  for (std::size_t r = 0; r < dense_.rows(); ++r) {
    for (std::size_t i = 0; i < information_.size(); ++i) {
      if (rows.get(r, information_[i])) dense_.set(r, i);
    }
  }
  for (const auto& [row, column] : peeling.pivots) {
    const std::size_t first = others_.size();
    for (std::uint32_t c : checks.row(row)) {
      if (c != column) others_.push_back(c);
    }
    substitutions_.push_back({column, first, others_.size()});
  }
}

void Encoder::encode(std::span<const std::uint8_t> message, std::span<std::uint8_t> word) const {
  std::vector<std::uint64_t> packed(dense_.words(), 0);
  for (std::size_t i = 0; i < information_.size(); ++i) {
    word[information_[i]] = message[i];
    packed[i / 64] |= std::uint64_t{message[i]} << i % 64;
  }
  for (std::size_t r = 0; r < dense_.rows(); ++r) {
    word[dense_columns_[r]] = odd_overlap(dense_.row(r), packed);
  }
  for (const auto& [column, first, beyond] : substitutions_) {
    std::uint8_t sum = 0;
    for (std::size_t i = first; i < beyond; ++i) sum ^= word[others_[i]];
    word[column] = sum;
  }
}

bool satisfies(const SparseParityMatrix& checks, std::span<const std::uint8_t> word) {
  for (std::uint32_t r = 0; r < checks.num_rows(); ++r) {
    std::uint8_t sum = 0;
    for (std::uint32_t c : checks.row(r)) sum ^= word[c];
    if (sum != 0) return false;
  }
  return true;
}

}  // namespace fgnn::codes
