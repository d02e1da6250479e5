#include "fgnn/codes/encoder.h"

#include <algorithm>
#include <numeric>

#include "fgnn/codes/peeling.h"

namespace fgnn::codes {
namespace {

// The rows that peeling left, written in columns that were not peeled: bit k of a row is that of
// columns_left[k]. A pivot's row holds earlier pivots only, so that substituting from the last one
// removes them all.
BitMatrix residual(const SparseParityMatrix& checks, const Peeling& peeling, const Budget* budget) {
  BitMatrix rows(peeling.rows_left.size(), peeling.columns_left.size());
  BitMatrix whole(1, checks.num_columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (budget != nullptr) budget->check_time();
    for (std::uint32_t c : checks.row(peeling.rows_left[i])) whole.set(0, c);
    for (std::size_t p = peeling.pivots.size(); p-- > 0;) {
      const auto [row, column] = peeling.pivots[p];
      if (!whole.get(0, column)) continue;
      for (std::uint32_t c : checks.row(row)) whole.flip(0, c);
    }
    for (std::size_t k = 0; k < rows.columns(); ++k) {
      if (whole.get(0, peeling.columns_left[k])) rows.set(i, k);
    }
    std::ranges::fill(whole.row(0), 0);
  }
  return rows;
}

// Bytes of the dense rows, before and after their reduction.
std::uint64_t dense_bytes(const Peeling& peeling) {
  return peeling.rows_left.size() * (std::uint64_t{peeling.columns_left.size()} / 4 + 16);
}

}  // namespace

Encoder::Encoder(const SparseParityMatrix& checks, std::uint32_t dense_length, Budget* budget)
    : length_(checks.num_columns()) {
  const Peeling peeling = length_ > dense_length ? peel(checks) : nothing_peeled(checks);
  Budget unlimited("encoder");
  Hold hold(budget != nullptr ? *budget : unlimited);
  hold.take(dense_bytes(peeling));
  BitMatrix rows = residual(checks, peeling, budget);
  std::vector<std::uint32_t> from_right(peeling.columns_left.size());
  std::iota(from_right.rbegin(), from_right.rend(), 0u);
  const std::vector<std::uint32_t> pivots = reduce(rows, from_right, budget);
  std::vector<bool> dependent(peeling.columns_left.size(), false);
  for (std::uint32_t k : pivots) {
    dependent[k] = true;
    dense_columns_.push_back(peeling.columns_left[k]);
  }
  std::vector<std::uint32_t> free;  // places of the information bits in `rows`
  for (std::uint32_t k = 0; k < peeling.columns_left.size(); ++k) {
    if (dependent[k]) continue;
    free.push_back(k);
    information_.push_back(peeling.columns_left[k]);
  }
  dense_ = BitMatrix(dense_columns_.size(), information_.size());
  for (std::size_t r = 0; r < dense_.rows(); ++r) {
    for (std::size_t i = 0; i < free.size(); ++i) {
      if (rows.get(r, free[i])) dense_.set(r, i);
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
