// The mixing of splitmix64 (Steele, Lea and Flood 2014): a permutation of 64-bit numbers in which
// every bit of the result depends on every bit given.
#pragma once

#include <cstdint>

namespace fgnn {

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;  // the step of its sequence

inline std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace fgnn
