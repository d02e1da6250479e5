#include "fgnn/kernels/dropout.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/tools.h"

namespace fgnn::kernels {
namespace {

template <class T>
void expect_formula() {
  Rng rng(1);
  for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 255u, 256u, 257u, 1000u}) {
    const auto x = normal_numbers<T>(rng, n);
    const std::uint64_t key = rng();
    const std::uint32_t below = dropped_below(0.4);
    std::vector<T> want(n), out(n, T(777)), here = x;
    for (std::size_t i = 0; i < n; ++i) {
      want[i] = draw(key, static_cast<std::uint32_t>(i)) >= below ? x[i] * T(1.5) : T(0);
    }
    drop(x.data(), key, below, T(1.5), out.data(), n);
    drop(here.data(), key, below, T(1.5), n);
    EXPECT_EQ(out, want);
    EXPECT_EQ(here, want);
  }
}

TEST(DropoutKernel, EqualsItsFormulaAtEveryLength) {
  expect_formula<float>();
  expect_formula<double>();
}

TEST(DropoutDraws, AreUniformAndIndependentOfTheirNeighbours) {
  constexpr std::uint32_t kCount = 1 << 20;
  for (const std::uint64_t key : {0ull, 1ull, 0x100000000ull, 0xdeadbeefcafe1234ull}) {
    double dropped = 0, both = 0, across = 0;
    bool before = false;
    std::vector<int> of_sixteen(16);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const std::uint32_t d = draw(key, i);
      const bool here = d < dropped_below(0.5);
      dropped += here;
      both += here && before;
      across += here && draw(key + 1, i) < dropped_below(0.5);
      before = here;
      ++of_sixteen[d >> 28];
    }
    const double deviation = 5 * std::sqrt(kCount / 4.0);  // five standard deviations
    EXPECT_NEAR(dropped, kCount / 2.0, deviation);
    EXPECT_NEAR(both, kCount / 4.0, deviation);
    EXPECT_NEAR(across, kCount / 4.0, deviation);
    for (const int count : of_sixteen) EXPECT_NEAR(count, kCount / 16.0, deviation / 2);
  }
}

TEST(DropoutDraws, KeysAlikeInOneHalfGiveNoSequenceShifted) {
  for (const std::uint64_t other : {1ull, 0x9e3779b9ull, 0x100000000ull}) {
    for (std::uint32_t shift = 0; shift < 100; ++shift) {
      int same = 0;
      for (std::uint32_t i = 0; i < 64; ++i) same += draw(0, i + shift) == draw(other, i);
      EXPECT_LT(same, 3);
    }
  }
}

TEST(DropoutDraws, SharesAtTheEnds) {
  EXPECT_EQ(dropped_below(0), 0u);
  EXPECT_EQ(dropped_below(0.5), 1u << 31);
  EXPECT_EQ(dropped_below(1 - 1e-16), 0xffffffffu);
}

}  // namespace
}  // namespace fgnn::kernels
