#include "fgnn/experiments/motion/legacy_random.h"

#include <bit>

namespace fgnn::motion {

std::uint32_t LegacyRandom::between(std::uint32_t low, std::uint32_t high) {
  const std::uint32_t range = high - low - 1;
  if (range == 0) return low;  // NumPy draws nothing then
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(range);
  std::uint32_t value = word() & mask;
  while (value > range) value = word() & mask;
  return low + value;
}

}  // namespace fgnn::motion
