#include "fgnn/kernels/gemm.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::normal_numbers;
using testing::same_numbers;

template <class T>
class Gemm : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Types);

struct Case {
  std::size_t m, n, k;
  bool transposed, accumulate;
  std::size_t gap;  // columns between the rows of each matrix
};

template <class T>
void expect_triple_loop(Rng& rng, const Case& c) {
  const std::size_t a_row = c.transposed ? 1 : c.k + c.gap;
  const std::size_t a_column = c.transposed ? c.m + c.gap : 1;
  const std::size_t ldb = c.n + c.gap, ldc = c.n + c.gap;
  const auto a = normal_numbers<T>(rng, (c.m + c.gap) * (c.k + c.gap));
  const auto b = normal_numbers<T>(rng, c.k * ldb);
  const auto before = normal_numbers<T>(rng, c.m * ldc);
  std::vector<double> want(before.begin(), before.end());
  for (std::size_t i = 0; i < c.m; ++i) {
    for (std::size_t j = 0; j < c.n; ++j) {
      double sum = c.accumulate ? want[i * ldc + j] : 0;
      for (std::size_t p = 0; p < c.k; ++p) {
        sum += static_cast<double>(a[i * a_row + p * a_column]) * b[p * ldb + j];
      }
      want[i * ldc + j] = sum;  // columns in the gap keep what they had
    }
  }
  auto got = before;
  gemm<T>(c.m, c.n, c.k, a.data(), a_row, a_column, b.data(), ldb, got.data(), ldc, c.accumulate);
  const double epsilon = std::numeric_limits<T>::epsilon();
  EXPECT_TRUE(same_numbers(got, want, epsilon * 16 * static_cast<double>(c.k + 1)))
      << c.m << " x " << c.n << " x " << c.k << ", transposed " << c.transposed << ", accumulate "
      << c.accumulate << ", gap " << c.gap;
}

TYPED_TEST(Gemm, EqualsTheTripleLoopForEveryTileRest) {
  Rng rng(1);
  for (std::size_t m = 1; m <= 14; ++m) {
    for (std::size_t n = 1; n <= 70; n += n < 20 ? 1 : 5) {
      expect_triple_loop<TypeParam>(rng, {m, n, 1 + (m * n) % 11, m % 2 == 0, n % 2 == 0, 0});
    }
  }
}

TYPED_TEST(Gemm, EqualsTheTripleLoopWithStrides) {
  Rng rng(2);
  for (int i = 0; i < 300; ++i) {
    expect_triple_loop<TypeParam>(rng, {1 + rng.below(40), 1 + rng.below(90), 1 + rng.below(40),
                                        rng.below(2) == 0, rng.below(2) == 0, rng.below(5)});
  }
}

TYPED_TEST(Gemm, EqualsTheTripleLoopWhereColumnsArePacked) {
  Rng rng(3);
  for (const std::size_t n : {65u, 127u, 128u, 191u, 257u}) {
    for (const bool transposed : {false, true}) {
      expect_triple_loop<TypeParam>(rng, {24, n, 17, transposed, false, 0});
      expect_triple_loop<TypeParam>(rng, {131, n, 64, transposed, true, 3});
    }
  }
}

TYPED_TEST(Gemm, EmptyMatrices) {
  Rng rng(4);
  for (const std::size_t n : {1u, 16u, 67u}) {
    for (const bool accumulate : {false, true}) {
      expect_triple_loop<TypeParam>(rng, {5, n, 0, false, accumulate, 0});  // a sum of nothing
      expect_triple_loop<TypeParam>(rng, {0, n, 3, false, accumulate, 0});
      expect_triple_loop<TypeParam>(rng, {n, 0, 3, false, accumulate, 1});
    }
  }
}

TYPED_TEST(Gemm, EveryRowMayBeginWithTheSameNumbers) {
  Rng rng(6);
  for (const std::size_t m : {1u, 5u, 40u}) {
    for (const std::size_t n : {1u, 16u, 70u, 200u}) {
      constexpr std::size_t k = 19;
      const auto a = normal_numbers<TypeParam>(rng, m * k),
                 b = normal_numbers<TypeParam>(rng, k * n),
                 start = normal_numbers<TypeParam>(rng, n);
      std::vector<TypeParam> want, got(m * n, 777);
      for (std::size_t i = 0; i < m; ++i) want.insert(want.end(), start.begin(), start.end());
      gemm<TypeParam>(m, n, k, a.data(), k, 1, b.data(), n, want.data(), n, true);
      gemm<TypeParam>(m, n, k, a.data(), k, 1, b.data(), n, got.data(), n, false, start.data());
      EXPECT_EQ(got, want);
    }
  }
}

TYPED_TEST(Gemm, TransposeSwapsRowsAndColumns) {
  Rng rng(5);
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{5, 7},
                                      {16, 16},
                                      {33, 64},
                                      {64, 33},
                                      {1, 40},
                                      {48, 32}}) {
    const auto in = normal_numbers<TypeParam>(rng, rows * columns);
    std::vector<TypeParam> out(rows * columns);
    transpose(in.data(), rows, columns, out.data());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) EXPECT_EQ(out[j * rows + i], in[i * columns + j]);
    }
  }
}

}  // namespace
}  // namespace fgnn::kernels
