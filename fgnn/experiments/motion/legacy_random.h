// NumPy's legacy random whole numbers: MT19937 seeded by one word, and randint by masks and
// rejection. The field draws its test windows with them.
#pragma once

#include <cstdint>
#include <random>

namespace fgnn::motion {

class LegacyRandom {
 public:
  explicit LegacyRandom(std::uint32_t seed) : words_(seed) {}

  std::uint32_t word() { return static_cast<std::uint32_t>(words_()); }
  // Uniform in low … high - 1, of which there must be one: words are cut to the bits that the
  // largest needs, and taken again while they are too large.
  std::uint32_t between(std::uint32_t low, std::uint32_t high);

 private:
  std::mt19937 words_;
};

}  // namespace fgnn::motion
