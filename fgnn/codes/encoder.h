// Codewords of a linear code given by its parity checks, H x = 0 over GF(2), whatever the rank of
// H.
//
// Some positions are the information bits (n - rank of them), the others follow. Up to
// `dense_length` columns H is reduced as a whole, with pivots as far to the right as possible: if
// the last rank(H) columns are independent, words are [s | P s]. Longer codes are peeled first:
// rows with one open column give that column by substitution, and columns are declared known
// ("inactivated") when no such row is left; only the rows that remain, a few percent, are reduced
// densely. This is the idea of Richardson and Urbanke, "Efficient encoding of LDPC codes" (2001).
// Encoding then costs the ones of H plus (dense rows * information bits) / 64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/codes/bit_matrix.h"
#include "fgnn/codes/parity_matrix.h"

namespace fgnn::codes {

class Encoder {
 public:
  static constexpr std::uint32_t kDenseLength = 4096;

  // With a budget, the memory of the dense rows is taken from it for the while, and
  // Error(too_large) or Error(time_limit) thrown beyond it.
  explicit Encoder(const SparseParityMatrix& checks, std::uint32_t dense_length = kDenseLength,
                   Budget* budget = nullptr);

  std::uint32_t length() const { return length_; }
  std::uint32_t dimension() const { return static_cast<std::uint32_t>(information_.size()); }
  std::uint32_t rank() const { return length_ - dimension(); }
  double rate() const { return length_ > 0 ? double(dimension()) / length_ : 0; }
  // Where word i of the message stands in the codeword, ascending.
  std::span<const std::uint32_t> information() const { return information_; }
  // The message is the beginning of the codeword.
  bool systematic_prefix() const {
    return information_.empty() || information_.back() + 1 == information_.size();
  }
  // How many parity bits need a dense row.
  std::size_t dense_rows() const { return dense_.rows(); }

  // Bits are bytes of 0 or 1; `message` has dimension() of them, `word` length().
  void encode(std::span<const std::uint8_t> message, std::span<std::uint8_t> word) const;

 private:
  struct Substitution {
    std::uint32_t column;       // is the sum of
    std::size_t first, beyond;  // these of others_
  };

  std::uint32_t length_;
  std::vector<std::uint32_t> information_;
  std::vector<std::uint32_t> dense_columns_;  // column of each row of dense_
  BitMatrix dense_;                           // over the bits of the message
  std::vector<Substitution> substitutions_;   // in order
  std::vector<std::uint32_t> others_;
};

// Whether the word satisfies every check.
bool satisfies(const SparseParityMatrix& checks, std::span<const std::uint8_t> word);

}  // namespace fgnn::codes
