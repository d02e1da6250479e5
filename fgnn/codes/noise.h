// Random numbers by position: word i of a frame is a hash of (seed, cell, frame, stream, i), the
// splitmix64 sequence of Steele, Lea and Flood (2014) read at i. No state, any order.
#pragma once

#include <cstdint>
#include <span>

#include "fgnn/codes/channel.h"
#include "fgnn/core/scramble.h"

namespace fgnn::codes {

class RandomWords {
 public:
  RandomWords(const FrameId& id, std::uint64_t stream)
      : key_(scramble(scramble(scramble(scramble(id.seed + kGolden) ^ id.cell) ^ stream) ^
                      id.frame)) {}
  std::uint64_t key() const { return key_; }
  std::uint64_t word(std::uint64_t i) const { return scramble(key_ + (i + 1) * kGolden); }
  // Uniform in [0, 1).
  double uniform(std::uint64_t i) const { return static_cast<double>(word(i) >> 11) * 0x1p-53; }

 private:
  std::uint64_t key_;
};

// Independent standard normal numbers by Box and Muller from the two halves of word i, in single
// precision: none is beyond 6.7.
void normal_pairs(const FrameId& id, std::uint64_t stream, std::span<float> first,
                  std::span<float> second);

}  // namespace fgnn::codes
