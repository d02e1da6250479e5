// IEEE half precision (binary16), for storing numbers in two bytes. Only bits are moved, so NaNs
// keep their payload and no rounding mode of the machine matters.
#pragma once

#include <bit>
#include <cstdint>

namespace fgnn {

inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  std::uint32_t exponent = (half >> 10) & 0x1fu, mantissa = half & 0x3ffu;
  if (exponent == 0x1f) {
    exponent = 0xff;  // infinity or NaN
  } else if (exponent != 0) {
    exponent += 127 - 15;
  } else if (mantissa != 0) {  // below the normal halves, but a normal float
    const int shift = std::countl_zero(mantissa) - 21;
    mantissa = (mantissa << shift) & 0x3ffu;
    exponent = static_cast<std::uint32_t>(127 - 15 + 1 - shift);
  }
  return std::bit_cast<float>(sign | exponent << 23 | mantissa << 13);
}

// To the nearest half, ties to the even one; from 65520 on that is infinity.
inline std::uint16_t half_of_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  std::uint32_t half;
  if (magnitude > 0x7f800000u) {  // NaN, which must not become infinity by losing its low bits
    const std::uint32_t payload = (magnitude >> 13) & 0x3ffu;
    half = 0x7c00u | (payload != 0 ? payload : 0x200u);
  } else if (magnitude >= 0x477ff000u) {  // 65520
    half = 0x7c00u;
  } else {
    // The significand with its leading one, and how many of its bits a half has no room for. The
    // leading one then adds to the exponent, and so does a carry from rounding.
    const std::uint32_t exponent = magnitude >> 23;
    const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    const bool normal = exponent >= 113;
    const std::uint32_t lost = normal ? 13 : 126 - exponent;
    if (lost > 24) {
      half = 0;
    } else {
      const std::uint32_t kept = significand >> lost, rest = significand & ((1u << lost) - 1);
      const std::uint32_t tie = 1u << (lost - 1);
      half = (normal ? (exponent - 113) << 10 : 0u) + kept;
      if (rest > tie || (rest == tie && (kept & 1u))) ++half;
    }
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace fgnn
