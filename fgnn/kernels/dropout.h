// Dropout without memory: whether number i is dropped is a function of a key and of i, so that the
// backward pass draws again what the forward pass drew, with SIMD, in any order and on any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fgnn::kernels {

// Uniform over all 32 bits: two rounds of a mixing function (Wellons' lowbias32), with one half of
// the key before and the other between them. i enters twice, so that keys that differ in one half
// do not give the same sequence, shifted.
inline std::uint32_t draw(std::uint64_t key, std::uint32_t i) {
  const auto mixed = [](std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x21f0aaadu;
    x ^= x >> 15;
    x *= 0x735a2d97u;
    return x ^ (x >> 15);
  };
  const auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  return mixed(mixed(i * 0x9e3779b9u + low) + high + i);
}

// Draws below this are dropped. `share` is in [0, 1).
std::uint32_t dropped_below(double share);

// out[i] = x[i] scale where draw(key, i) stays, else 0.
void drop(const float* x, std::uint64_t key, std::uint32_t below, float scale, float* out,
          std::size_t n);
void drop(const double* x, std::uint64_t key, std::uint32_t below, double scale, double* out,
          std::size_t n);
// The same in place.
void drop(float* x, std::uint64_t key, std::uint32_t below, float scale, std::size_t n);
void drop(double* x, std::uint64_t key, std::uint32_t below, double scale, std::size_t n);

}  // namespace fgnn::kernels
