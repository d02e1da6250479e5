// Flooding sum-product on parity checks as a textbook has it: one word at a time, tanh and its
// inverse in double precision, flat arrays, stopping when all checks hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/codes/bp/tanner.h"

namespace fgnn::bench {

class PlainDecoder {
 public:
  explicit PlainDecoder(const SparseParityMatrix& checks)
      : g_(checks), total_(g_.bits), message_(g_.edges()), tanh_(g_.edges()) {}

  // Ratios are log P(1) / P(0). Returns the iterations taken.
  std::uint32_t decode(std::span<const float> llr, std::uint32_t iterations) {
    for (std::uint32_t b = 0; b < g_.bits; ++b) total_[b] = -double(llr[b]);
    std::fill(message_.begin(), message_.end(), 0.0);
    for (std::uint32_t i = 1; i <= iterations; ++i) {
      check_pass();
      bit_pass(llr);
      if (valid()) return i;
    }
    return iterations;
  }
  bool bit(std::uint32_t b) const { return total_[b] < 0; }

 private:
  void check_pass() {
    for (std::uint32_t c = 0; c < g_.checks; ++c) {
      const std::uint32_t begin = g_.check_begin[c], end = g_.check_begin[c + 1];
      for (std::uint32_t e = begin; e < end; ++e) {
        tanh_[e] = std::tanh((total_[g_.edge_bit[e]] - message_[e]) / 2);
      }
      for (std::uint32_t e = begin; e < end; ++e) {
        double product = 1;
        for (std::uint32_t o = begin; o < end; ++o) product *= o == e ? 1 : tanh_[o];
        constexpr double kMost = 1 - 1e-15;
        message_[e] = 2 * std::atanh(std::clamp(product, -kMost, kMost));
      }
    }
  }
  void bit_pass(std::span<const float> llr) {
    for (std::uint32_t b = 0; b < g_.bits; ++b) {
      total_[b] = -double(llr[b]);
      for (std::uint32_t k = g_.bit_begin[b]; k < g_.bit_begin[b + 1]; ++k) {
        total_[b] += message_[g_.bit_edge[k]];
      }
    }
  }
  bool valid() const {
    for (std::uint32_t c = 0; c < g_.checks; ++c) {
      bool odd = false;
      for (std::uint32_t e = g_.check_begin[c]; e < g_.check_begin[c + 1]; ++e) {
        odd ^= bit(g_.edge_bit[e]);
      }
      if (odd) return false;
    }
    return true;
  }

  codes::Tanner g_;
  std::vector<double> total_, message_, tanh_;
};

}  // namespace fgnn::bench
