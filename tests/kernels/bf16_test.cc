#include "fgnn/kernels/bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fgnn/kernels/bf16_tiles.h"
#include "fgnn/kernels/gemm.h"
#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::normal_numbers;
using testing::same_numbers;

struct Case {
  std::size_t m, n, k;
  bool transposed, accumulate, started;
  std::size_t gap;  // columns between the rows of each matrix
};

// Rounded numbers, multiplied and added up in double.
void expect_product_of_rounded(Rng& rng, const Case& c) {
  const std::size_t a_row = c.transposed ? 1 : c.k + c.gap;
  const std::size_t a_column = c.transposed ? c.m + c.gap : 1;
  const std::size_t ldb = c.n + c.gap, ldc = c.n + c.gap;
  const auto a = normal_numbers<float>(rng, (c.m + c.gap) * (c.k + c.gap));
  const auto b = normal_numbers<float>(rng, c.k * ldb);
  const auto before = normal_numbers<float>(rng, c.m * ldc);
  const auto start = normal_numbers<float>(rng, c.n);
  std::vector<double> want(before.begin(), before.end());
  for (std::size_t i = 0; i < c.m; ++i) {
    for (std::size_t j = 0; j < c.n; ++j) {
      double sum = c.accumulate ? want[i * ldc + j] : c.started ? start[j] : 0.0;
      for (std::size_t p = 0; p < c.k; ++p) {
        sum += static_cast<double>(round_to_bf16(a[i * a_row + p * a_column])) *
               round_to_bf16(b[p * ldb + j]);
      }
      want[i * ldc + j] = sum;  // columns in the gap keep what they had
    }
  }
  auto got = before;
  gemm_bf16(c.m, c.n, c.k, a.data(), a_row, a_column, b.data(), ldb, got.data(), ldc, c.accumulate,
            c.started ? start.data() : nullptr);
  const double epsilon = std::numeric_limits<float>::epsilon();
  EXPECT_TRUE(same_numbers(got, want, epsilon * 16 * static_cast<double>(c.k + 1)))
      << c.m << " x " << c.n << " x " << c.k << ", transposed " << c.transposed << ", accumulate "
      << c.accumulate << ", started " << c.started << ", gap " << c.gap;
}

TEST(Bf16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(round_to_bf16(1.0f), 1.0f);
  EXPECT_EQ(round_to_bf16(1.0f + 1.0f / 256), 1.0f);              // a tie, down to even
  EXPECT_EQ(round_to_bf16(1.0f + 3.0f / 256), 1.0f + 1.0f / 64);  // a tie, up to even
  EXPECT_EQ(round_to_bf16(-1.0f - 1.1f / 256), -1.0f - 1.0f / 128);
  EXPECT_TRUE(std::isnan(round_to_bf16(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(round_to_bf16(std::numeric_limits<float>::infinity()),
            std::numeric_limits<float>::infinity());
}

TEST(Bf16, EqualsTheProductOfRoundedNumbersForEveryRest) {
  Rng rng(1);
  for (std::size_t m = 1; m <= 67; m += m < 20 ? 1 : 5) {
    for (std::size_t n = 1; n <= 70; n += n < 20 ? 3 : 7) {
      expect_product_of_rounded(
          rng, {m, n, 1 + (m * n) % 71, m % 2 == 0, n % 2 == 0, m % 3 == 0, n % 4});
    }
  }
}

TEST(Bf16, EqualsTheProductOfRoundedNumbersInLongSums) {
  Rng rng(2);
  for (const std::size_t k : {1024u, 1025u, 3000u}) {
    for (const bool transposed : {false, true}) {
      expect_product_of_rounded(rng, {40, 33, k, transposed, false, true, 0});
      expect_product_of_rounded(rng, {17, 64, k, transposed, true, false, 3});
    }
  }
}

// Rows and columns of A apart from each other: no blocks can be read, whatever the processor has.
TEST(Bf16, EqualsTheProductOfRoundedNumbersWithoutTiles) {
  constexpr std::size_t m = 9, n = 20, k = 33;
  Rng rng(3);
  const auto wide = normal_numbers<float>(rng, m * k * 2), b = normal_numbers<float>(rng, k * n);
  std::vector<float> a, got(m * n), want(m * n);
  for (std::size_t i = 0; i < m * k; ++i) a.push_back(wide[2 * i]);
  gemm_bf16(m, n, k, wide.data(), 2 * k, 2, b.data(), n, got.data(), n, false, nullptr);
  gemm_bf16(m, n, k, a.data(), k, 1, b.data(), n, want.data(), n, false, nullptr);
  EXPECT_TRUE(same_numbers(got, std::vector<double>(want.begin(), want.end()), 1e-5));
}

TEST(Bf16, IsUsedOnAThreadThatAsksAndOnlyThere) {
  constexpr std::size_t side = 32;
  const float third = 1.0f / 3;
  const std::vector<float> a(side * side, third), b(side * side, 1.0f);
  std::vector<float> c(side * side);
  const auto product = [&] {
    gemm<float>(side, side, side, a.data(), side, 1, b.data(), side, c.data(), side, false);
    return c[0];
  };
  const float full = product();
  {
    const ProductsHere here(Products::bf16);
    EXPECT_NEAR(product(), side * round_to_bf16(third), 1e-4);
    EXPECT_GT(std::abs(product() - full), 1e-3);
  }
  EXPECT_EQ(product(), full);
}

// Blocks are kept as long as nobody says that the numbers may be others.
TEST(Bf16, WhatIsUnchangedIsRoundedOnceAndAnewWhenItMayHaveChanged) {
  Rng rng(5);
  constexpr std::size_t m = 20, n = 40, k = 50;
  const auto a = normal_numbers<float>(rng, m * k);
  auto b = normal_numbers<float>(rng, 2 * k * n);
  const auto product = [&](std::size_t from, std::size_t columns) {
    std::vector<float> c(m * columns);
    gemm(m, columns, k, a.data(), k, 1, b.data() + from, n, c.data(), columns, false);
    return c;
  };
  const auto afresh = [&](std::size_t from, std::size_t columns) {
    const ProductsHere here(Products::bf16);
    return product(from, columns);
  };
  for (int step = 0; step < 3; ++step) {
    const Unchanged weights({b});
    const ProductsHere here(Products::bf16, &weights);
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(product(0, n), afresh(0, n));
      EXPECT_EQ(product(0, n / 2), afresh(0, n / 2));  // another matrix at the same place
      EXPECT_EQ(product(k * n, n), afresh(k * n, n));
    }
    for (float& x : b) x = -2 * x;
  }
  // An array that is not named may change at any time.
  const std::vector<float> others(10);
  const Unchanged elsewhere({others});
  const ProductsHere here(Products::bf16, &elsewhere);
  const auto before = product(0, n);
  for (float& x : b) x = -2 * x;
  EXPECT_EQ(product(0, n), afresh(0, n));
  EXPECT_NE(product(0, n), before);
}

TEST(Bf16, UnchangedKnowsItsArrays) {
  const std::vector<float> x(5), y(3);
  const Unchanged both({x, y});
  EXPECT_TRUE(both.has(x.data()) && both.has(x.data() + 4) && both.has(y.data() + 2));
  EXPECT_FALSE(both.has(x.data() + 5) || both.has(y.data() + 3));
  EXPECT_NE(Unchanged({x}).id(), both.id());
}

}  // namespace
}  // namespace fgnn::kernels
