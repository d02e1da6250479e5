#include "fgnn/core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fgnn {
namespace {

constexpr int kHalves = 1 << 16;
constexpr std::uint16_t kInfinity = 0x7c00;

// By the definition of the format.
double value_of(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, EveryFiniteHalfIsTheFloatOfItsDefinition) {
  for (int i = 0; i < kHalves; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const float value = float_of_half(half);
    if ((half & kInfinity) != kInfinity) {
      ASSERT_EQ(value, value_of(half)) << i;
    } else if (half & 1023) {
      ASSERT_TRUE(std::isnan(value)) << i;
    } else {
      ASSERT_TRUE(std::isinf(value)) << i;
    }
    ASSERT_EQ(std::signbit(value), (half & 0x8000) != 0) << i;
  }
}

TEST(Half, EveryHalfSurvivesBeingAFloat) {
  for (int i = 0; i < kHalves; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    ASSERT_EQ(half_of_float(float_of_half(half)), half);
  }
}

// Between two neighbours lies one tie, which is a float; the floats beside it are not ties.
TEST(Half, RoundsToTheNearestAndTiesToTheEvenOne) {
  for (std::uint16_t half = 0; half < kInfinity; ++half) {
    const auto next = static_cast<std::uint16_t>(half + 1);
    const double above = next == kInfinity ? 65536 : value_of(next);
    const auto tie = static_cast<float>((value_of(half) + above) / 2);
    for (const int sign : {0, 0x8000}) {
      const auto signed_half = [&](float value) { return half_of_float(sign ? -value : value); };
      ASSERT_EQ(signed_half(tie), sign | (half & 1 ? next : half)) << half;
      ASSERT_EQ(signed_half(std::nextafter(tie, 0.0f)), sign | half) << half;
      ASSERT_EQ(signed_half(std::nextafter(tie, 1e9f)), sign | next) << half;
    }
  }
}

TEST(Half, WhatIsTooLargeIsInfiniteAndWhatIsTooSmallZero) {
  using Limits = std::numeric_limits<float>;
  for (const float value : {65520.0f, 1e10f, Limits::max(), Limits::infinity()}) {
    EXPECT_EQ(half_of_float(value), kInfinity);
    EXPECT_EQ(half_of_float(-value), kInfinity | 0x8000);
  }
  for (const float value : {0.0f, Limits::denorm_min(), Limits::min(), 0x1p-26f, 0x1p-25f}) {
    EXPECT_EQ(half_of_float(value), 0);
    EXPECT_EQ(half_of_float(-value), 0x8000);
  }
}

TEST(Half, ANanWithOnlyLowBitsStaysANan) {
  EXPECT_EQ(half_of_float(std::bit_cast<float>(0x7f800001u)), 0x7e00);
  EXPECT_EQ(half_of_float(std::bit_cast<float>(0xff801fffu)), 0xfe00);
  EXPECT_EQ(half_of_float(std::bit_cast<float>(0x7fc00000u)), 0x7e00);
}

}  // namespace
}  // namespace fgnn
