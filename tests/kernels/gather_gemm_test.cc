#include "fgnn/kernels/gather_gemm.h"

#include <gtest/gtest.h>

#include "tests/reference/instruction_sets.h"
#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::normal_numbers;
using testing::same_numbers;

// Rows of A of all segments, anywhere in a field of numbers.
struct Gather {
  std::size_t m, n, segments, k, step;
  std::vector<std::size_t> rows;

  Gather(Rng& rng, std::size_t count, std::size_t columns, std::size_t parts, std::size_t length)
      : m(count), n(columns), segments(parts), k(length), step(length + 3) {
    for (std::size_t i = 0; i < m; ++i) rows.push_back(rng.below(50));
  }
  std::size_t field() const { return 50 + segments * step + k; }
  std::size_t at(std::size_t i, std::size_t s, std::size_t p) const {
    return rows[i] + s * step + p;
  }
};

template <class T>
void compare_products(const Gather& g, Rng& rng, bool with_start, double tolerance) {
  const auto a = normal_numbers<T>(rng, g.field()), start = normal_numbers<T>(rng, g.n);
  const auto b = normal_numbers<T>(rng, g.segments * g.k * g.n);
  std::vector<double> want(g.m * g.n);
  for (std::size_t i = 0; i < g.m; ++i) {
    for (std::size_t j = 0; j < g.n; ++j) {
      double sum = with_start ? start[j] : 0;
      for (std::size_t s = 0; s < g.segments; ++s) {
        for (std::size_t p = 0; p < g.k; ++p) {
          sum += static_cast<double>(a[g.at(i, s, p)]) * b[(s * g.k + p) * g.n + j];
        }
      }
      want[i * g.n + j] = sum;
    }
  }
  std::vector<T> c(g.m * g.n, T(777));
  gather_product<T>(g.m, g.n, g.segments, g.k, a.data(), g.rows.data(), g.step, b.data(),
                    with_start ? start.data() : nullptr, c.data());
  EXPECT_TRUE(same_numbers(c, want, tolerance)) << g.m << " x " << g.n << " x " << g.k;
}

template <class T>
void compare_outer_products(const Gather& g, Rng& rng, double tolerance) {
  const auto a = normal_numbers<T>(rng, g.field()), b = normal_numbers<T>(rng, g.m * g.n);
  auto c = normal_numbers<T>(rng, g.segments * g.k * g.n);
  std::vector<double> want(c.begin(), c.end());
  for (std::size_t s = 0; s < g.segments; ++s) {
    for (std::size_t i = 0; i < g.k; ++i) {
      for (std::size_t j = 0; j < g.n; ++j) {
        for (std::size_t p = 0; p < g.m; ++p) {
          want[(s * g.k + i) * g.n + j] += static_cast<double>(a[g.at(p, s, i)]) * b[p * g.n + j];
        }
      }
    }
  }
  gather_outer<T>(g.k, g.n, g.segments, g.m, a.data(), g.rows.data(), g.step, b.data(), c.data());
  EXPECT_TRUE(same_numbers(c, want, tolerance)) << g.k << " x " << g.n << " x " << g.m;
}

TEST(GatherGemm, ProductsEqualPlainLoopsOnEveryInstructionSet) {
  testing::on_every_instruction_set([](const std::string& name) {
    SCOPED_TRACE(name);
    Rng rng(1);
    for (const std::size_t m : {1u, 5u, 6u, 13u, 32u}) {
      for (const std::size_t n : {1u, 7u, 8u, 16u, 19u, 35u, 64u, 130u}) {
        const Gather g(rng, m, n, 3, 10);
        compare_products<float>(g, rng, m % 2 == 0, 1e-4);
        compare_products<double>(g, rng, m % 2 == 1, 1e-12);
        compare_outer_products<float>(g, rng, 1e-4);
        compare_outer_products<double>(g, rng, 1e-12);
      }
    }
  });
}

TEST(GatherGemm, OuterProductsOfSomeRowsAtATimeHaveTheSameBits) {
  Rng rng(2);
  const Gather g(rng, 23, 20, 2, 9);
  const auto a = normal_numbers<float>(rng, g.field()), b = normal_numbers<float>(rng, 23 * 20);
  std::vector<float> at_once(2 * 9 * 20), by_parts(2 * 9 * 20);
  gather_outer<float>(9, 20, 2, 23, a.data(), g.rows.data(), g.step, b.data(), at_once.data());
  gather_outer<float>(9, 20, 2, 11, a.data(), g.rows.data(), g.step, b.data(), by_parts.data());
  gather_outer<float>(9, 20, 2, 12, a.data(), g.rows.data() + 11, g.step, b.data() + 11 * 20,
                      by_parts.data());
  EXPECT_EQ(at_once, by_parts);
}

}  // namespace
}  // namespace fgnn::kernels
