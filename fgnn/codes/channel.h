// Channels for bits sent as +1 (bit 1) and -1 (bit 0), and their noise.
//
//   awgn      y = ±1 + n,              n ~ N(0, σ²)
//   burst     y = ±1 + n + p z,        p ~ Bernoulli(η), z ~ N(0, σb²); the paper has η = 0.05
//   rayleigh  y = h (±h + n),          h² ~ Exp(1), known to the receiver (y is the matched filter)
//   bsc       y = ±1, turned round with probability `flip`
//   bec       y = ±1, or 0 with probability `flip`
//
// Noise is a function of (seed, cell, frame, position) and of nothing else: results do not depend
// on threads or batches, and every decoder of a cell sees the same words.
#pragma once

#include <cstdint>
#include <span>

#include "fgnn/core/words.h"

namespace fgnn::codes {

enum class ChannelKind { awgn, burst, rayleigh, bsc, bec };

const Words<ChannelKind>& words_of(ChannelKind);
// Whether the channel has Gaussian noise, and with it an SNR.
bool has_sigma(ChannelKind kind);

struct Channel {
  ChannelKind kind = ChannelKind::awgn;
  double sigma = 1;                 // awgn, burst, rayleigh
  double burst_sigma = 0;           // burst: σb
  double burst_probability = 0.05;  // burst: η
  double flip = 0;                  // bsc, bec

  // Throws Error(usage).
  void validate() const;
};

// Ratios of signal to noise in dB. With energy 1 per sent symbol and noise N0 = 2σ²:
enum class SnrScale {
  snr,   // 20 log10(1/σ), the paper's; 3.01 dB above Es/N0, equal to Eb/N0 at rate 1/2
  ebn0,  // 10 log10(1 / (2 σ² R)) with the code's rate R
  esn0,  // 10 log10(1 / (2 σ²))
};
const Words<SnrScale>& words_of(SnrScale);
double sigma_of(double decibels, SnrScale scale, double rate);
double decibels_of(double sigma, SnrScale scale, double rate);

// What names the randomness of one frame.
struct FrameId {
  std::uint64_t seed = 0, cell = 0, frame = 0;
};

// Fair bits, bytes of 0 or 1.
void random_bits(const FrameId& id, std::span<std::uint8_t> bits);

// What the channel makes of the word.
void transmit(const Channel& channel, const FrameId& id, std::span<const std::uint8_t> word,
              std::span<float> observed);

}  // namespace fgnn::codes
