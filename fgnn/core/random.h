// Random numbers that are the same on every machine: xoshiro256** (Blackman and Vigna 2018) seeded
// by splitmix64. A (seed, stream) pair names an independent sequence, so that work split over
// threads or instances draws the same numbers however it is split.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include "fgnn/core/scramble.h"

namespace fgnn {

class Rng {
 public:
  using result_type = std::uint64_t;

  explicit Rng(std::uint64_t seed = 0, std::uint64_t stream = 0) {
    // Seed and stream are scrambled apart: added, neighbouring streams would be one sequence,
    // shifted.
    std::uint64_t scrambled = stream;
    std::uint64_t x = seed ^ split_mix(scrambled);
    for (auto& word : state_) word = split_mix(x);
  }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // Uniform in 0 .. n-1 (n > 0), without modulo bias that anyone could measure (Lemire 2019).
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<Wide>((*this)()) * n) >> 64);
  }

  // Standard normal by Box and Muller; the pair's second half is dropped to keep the state simple.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  template <class Range>
  void shuffle(Range& range) {
    for (std::uint64_t i = range.size(); i > 1; --i) std::swap(range[i - 1], range[below(i)]);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t split_mix(std::uint64_t& x) { return scramble(x += kGolden); }

  std::uint64_t state_[4];
};

}  // namespace fgnn
