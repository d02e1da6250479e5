// How strong the bursts of a word are, judged by the word: the paper's channel
//
//   y = ±1 + n + p z,   n ~ N(0, σ²), p ~ Bernoulli(η), z ~ N(0, σb²)
//
// with σ and η known and σb one of 0 … 5, the same for all bits of a word. Given σb the bits are
// independent (before parity checks are looked at), so that P(σb | y) is the product of mixture
// densities, and the ratio log P(y_i | 1, y) / P(y_i | 0, y) averages over it. 24 densities a bit.
#pragma once

#include <array>
#include <span>

#include "fgnn/codes/channel.h"

namespace fgnn::codes {

inline constexpr std::size_t kBurstLevels = 6;  // σb = 0, 1, …, 5

struct WordBelief {
  std::array<double, kBurstLevels> level;  // P(σb | y)
  double mean_level = 0;
};

// Fills one log-likelihood ratio per bit. Only sigma and burst_probability of the channel are used.
WordBelief word_log_ratios(const Channel& channel, std::span<const float> observed,
                           std::span<float> llr);

}  // namespace fgnn::codes
