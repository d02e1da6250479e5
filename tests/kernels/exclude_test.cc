#include "fgnn/kernels/exclude.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/tools.h"
#include "tests/reference/message.h"

namespace fgnn::kernels {
namespace {

using testing::Edges;
using testing::random_edges;

constexpr Aggregate kAggregates[] = {Aggregate::max, Aggregate::sum, Aggregate::mean,
                                     Aggregate::logsumexp, Aggregate::product};
constexpr double kTau = 0.6;

template <class T>
struct Problem {
  const Incidence& node;
  std::size_t copies, width;
  Aggregate aggregate;
  const std::uint8_t* mask;
  std::vector<T> x;
  double tau = kTau;

  std::vector<T> forward(int threads = 1) const {
    std::vector<T> out(x.size(), T(777));
    exclude_forward(node, copies, x.data(), width, aggregate, tau, mask, out.data(), threads);
    return out;
  }
  std::vector<T> backward(const std::vector<T>& gradient, int threads = 1) const {
    std::vector<T> dx(x.size(), T(777));
    exclude_backward(node, copies, x.data(), forward().data(), gradient.data(), width, aggregate,
                     tau, mask, dx.data(), threads);
    return dx;
  }
};

class ExcludeEach : public ::testing::TestWithParam<Aggregate> {};
INSTANTIATE_TEST_SUITE_P(Exclude, ExcludeEach, ::testing::ValuesIn(kAggregates),
                         [](const auto& given) { return std::string(name_of(given.param)); });

std::vector<std::uint8_t> random_mask(Rng& rng, std::size_t n) {
  std::vector<std::uint8_t> mask(n);
  for (auto& m : mask) m = rng.below(3) != 0;
  return mask;
}

TEST_P(ExcludeEach, ForwardEqualsTheReadableTwin) {
  Rng rng(1);
  for (int i = 0; i < 60; ++i) {
    const std::size_t copies = 1 + rng.below(3), width = 1 + rng.below(5);
    const Edges edges = random_edges(rng, 2 + rng.below(8), 4, 1, 1 + rng.below(25));
    const Incidence node = edges.incidence();
    const auto mask = random_mask(rng, copies * edges.size());
    const auto numbers = normal_numbers<float>(rng, copies * edges.size() * width);
    for (const auto* m : {static_cast<const std::uint8_t*>(nullptr), mask.data()}) {
      const Problem<double> p{node, copies, width, GetParam(), m, {numbers.begin(), numbers.end()}};
      const auto want = testing::exclude(edges, copies, p.x, width, GetParam(), kTau, m);
      EXPECT_TRUE(same_numbers(p.forward(), want, 1e-12));
      const Problem<float> f{node, copies, width, GetParam(), m, numbers};
      EXPECT_TRUE(same_numbers(f.forward(), want, 1e-5));
    }
  }
}

TEST_P(ExcludeEach, BackwardEqualsDifferences) {
  Rng rng(2);
  for (int i = 0; i < 12; ++i) {
    const std::size_t copies = 1 + rng.below(2), width = 1 + rng.below(3);
    const Edges edges = random_edges(rng, 6, 4, 1, 14);
    const Incidence node = edges.incidence();
    const auto mask = random_mask(rng, copies * edges.size());
    for (const auto* m : {static_cast<const std::uint8_t*>(nullptr), mask.data()}) {
      Problem<double> p{node,  copies,
                        width, GetParam(),
                        m,     normal_numbers<double>(rng, copies * edges.size() * width)};
      const auto weight = normal_numbers<double>(rng, p.x.size());
      expect_gradient(
          p.x, p.backward(weight), [&] { return dot(p.forward(), weight); }, "x", rng, 100);
    }
  }
}

// All edges at one node.
Edges star(std::size_t n) {
  Edges edges{1, n, 1, {}, {}, {}};
  for (Index e = 0; e < n; ++e) {
    edges.target.push_back(0);
    edges.source.push_back(e);
    edges.kind.push_back(0);
  }
  return edges;
}

TEST_P(ExcludeEach, AnEdgeAloneGetsTheNeutralNumber) {
  const Incidence node = star(1).incidence();
  const Problem<double> p{node, 2, 1, GetParam(), nullptr, {5, -7}};
  const double neutral = GetParam() == Aggregate::product ? 1 : 0;
  EXPECT_EQ(p.forward(), (std::vector<double>{neutral, neutral}));
  EXPECT_EQ(p.backward({3, 4}), (std::vector<double>{0, 0}));
}

TEST_P(ExcludeEach, EdgesTakenOutSendNothingAndGetZero) {
  const Incidence node = star(3).incidence();
  const std::uint8_t mask[] = {1, 0, 1, 0, 0, 1, 0, 0, 0};
  const Problem<double> p{node, 3, 1, GetParam(), mask, {2, 9, 3, 9, 9, 4, 9, 9, 9}};
  const double neutral = GetParam() == Aggregate::product ? 1 : 0;
  EXPECT_TRUE(
      same_numbers(p.forward(), std::vector<double>{3, 0, 2, 0, 0, neutral, 0, 0, 0}, 1e-14));
  EXPECT_TRUE(same_numbers(p.backward({1, 9, 10, 9, 9, 9, 9, 9, 9}),
                           std::vector<double>{10, 0, 1, 0, 0, 0, 0, 0, 0}, 1e-14));
}

TEST_P(ExcludeEach, ThreadsAgreeExactly) {
  Rng rng(3);
  const Edges edges = random_edges(rng, 300, 4, 1, 1500);
  const Incidence node = edges.incidence();
  const Problem<float> p{node,       2,       5,
                         GetParam(), nullptr, normal_numbers<float>(rng, 2 * edges.size() * 5)};
  const auto weight = normal_numbers<float>(rng, p.x.size());
  EXPECT_EQ(p.forward(1), p.forward(2));
  EXPECT_EQ(p.backward(weight, 1), p.backward(weight, 2));
}

TEST(Exclude, ProductsWithZeros) {
  Rng rng(4);
  const Edges edges = star(5);
  const Incidence node = edges.incidence();
  for (const std::vector<double>& x : {std::vector<double>{2, 0, -3, 5, 0.5},
                                       {0, 0, -3, 5, 0.5},
                                       {0, 2, 0, 0, 1},
                                       {0, 0, 0, 0, 0},
                                       {-1, -2, -3, -4, -5}}) {
    Problem<double> p{node, 1, 1, Aggregate::product, nullptr, x};
    const auto want = testing::exclude(edges, 1, x, 1, Aggregate::product, 1, nullptr);
    EXPECT_TRUE(same_numbers(p.forward(), want, 1e-13));
    const auto weight = normal_numbers<double>(rng, 5);
    const auto value = [&] {  // polynomials: the twin may move through zero
      return dot(testing::exclude(edges, 1, p.x, 1, Aggregate::product, 1, nullptr), weight);
    };
    expect_gradient(p.x, p.backward(weight), value, "x", rng);
  }
}

TEST(Exclude, LogSumExpOfFarNumbersStaysFinite) {
  const Edges edges = star(4);
  const Incidence node = edges.incidence();
  for (const double gap : {50.0, 1e3, 1e6}) {
    for (std::size_t top = 0; top < 4; ++top) {
      std::vector<float> x{-1, 0.5, 1, 0};
      x[top] = static_cast<float>(gap);
      const Problem<float> p{node, 1, 1, Aggregate::logsumexp, nullptr, x, 0.1};
      const std::vector<double> exact(x.begin(), x.end());
      EXPECT_TRUE(same_numbers(
          p.forward(), testing::exclude(edges, 1, exact, 1, Aggregate::logsumexp, 0.1, nullptr),
          1e-5));
      // Every other edge hears the top alone; the top hears the rest.
      const auto dx = p.backward({1, 1, 1, 1});
      double others = 0;
      for (std::size_t s = 0; s < 4; ++s) {
        EXPECT_TRUE(std::isfinite(dx[s]));
        if (s != top) others += dx[s];
      }
      EXPECT_NEAR(dx[top], 3, 1e-5);
      EXPECT_NEAR(others, 1, 1e-5);
    }
  }
}

TEST(Exclude, LargeDegreesCostNoPrecision) {
  Rng rng(5);
  const Edges edges = star(400);
  const Incidence node = edges.incidence();
  for (const Aggregate a : {Aggregate::sum, Aggregate::logsumexp, Aggregate::max}) {
    auto x = normal_numbers<float>(rng, 400);
    x[17] = 1e4f;  // a difference of sums would lose the rest
    const std::vector<double> exact(x.begin(), x.end());
    const Problem<float> p{node, 1, 1, a, nullptr, x};
    const auto want = testing::exclude(edges, 1, exact, 1, a, kTau, nullptr);
    EXPECT_NEAR(p.forward()[17], want[17], 1e-4 * std::abs(want[17]) + 1e-4);
  }
}

// The product of all others by definition, in long double.
template <class T>
std::vector<double> naive_products(const std::vector<T>& x, std::size_t width) {
  const std::size_t n = x.size() / width;
  std::vector<double> out(x.size());
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t j = 0; j < width; ++j) {
      long double product = 1;
      for (std::size_t e = 0; e < n; ++e) {
        if (e != s) product *= static_cast<long double>(x[e * width + j]);
      }
      out[s * width + j] = static_cast<double>(product);
    }
  }
  return out;
}

template <class T>
std::vector<T> products(const std::vector<T>& x, std::size_t width) {
  const Incidence node = star(x.size() / width).incidence();
  return Problem<T>{node, 1, width, Aggregate::product, nullptr, x}.forward();
}

// Numbers of the range of T agree to the relative tolerance, others are 0 or infinite.
template <class T>
void expect_products(const std::vector<T>& x, std::size_t width, double relative) {
  const auto want = naive_products(x, width);
  const auto got = products(x, width);
  constexpr double least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double size = std::abs(want[i]);
    if (size > most * (1 - relative)) {
      EXPECT_GT(std::abs(static_cast<double>(got[i])), 0.9 * most) << i;
    } else if (size < least * (1 + relative)) {
      EXPECT_LE(std::abs(static_cast<double>(got[i])), 1.1 * least) << i;
    } else {
      EXPECT_NEAR(got[i], want[i], relative * size) << i;
    }
    if (want[i] != 0 && got[i] != 0) {
      EXPECT_EQ(std::signbit(got[i]), std::signbit(want[i])) << i;
    }
  }
}

TEST(Exclude, ProductsNearOneAreExactToRounding) {
  Rng rng(6);
  for (int i = 0; i < 60; ++i) {
    const std::size_t n = 1 + rng.below(40), width = 1 + rng.below(6);
    auto x = normal_numbers<float>(rng, n * width);
    for (float& v : x) v = std::copysign(std::exp2(v / 4), v);  // 0.5 … 2
    expect_products(x, width, 2e-7 * static_cast<double>(n));
    expect_products(std::vector<double>(x.begin(), x.end()), width, 4e-16 * static_cast<double>(n));
  }
}

TEST(Exclude, ProductsOfProbabilitiesVanishOnlyBelowTheLeastNumber) {
  Rng rng(7);
  for (int i = 0; i < 60; ++i) {
    const std::size_t n = 2 + rng.below(60), width = 1 + rng.below(4);
    std::vector<float> x(n * width);
    for (float& v : x) v = static_cast<float>(std::pow(rng.uniform(), 8));
    x[rng.below(x.size())] = 1;
    if (i % 3 == 0) x[rng.below(x.size())] = 0;
    expect_products(x, width, 2e-7 * static_cast<double>(n));
    expect_products(std::vector<double>(x.begin(), x.end()), width, 4e-16 * static_cast<double>(n));
  }
}

// From left or right, partial products would leave the range of floats; the results do not.
TEST(Exclude, ProductsOfHugeAndTinyNumbersStayInRange) {
  expect_products<float>({1e30f, 1e30f, 1e-30f, 1e-30f, 3}, 1, 1e-4);
  expect_products<float>({1e-30f, 1e-30f, 1e30f, 1e30f, -3}, 1, 1e-4);
  expect_products<float>({1e30f, 1e-30f, 1e30f, 1e-30f, 1e30f}, 1, 1e-4);
  expect_products<float>({1e-30f, 1e-30f, 1e-30f, 1e30f, 1e30f}, 1, 1e-4);
  expect_products<double>({1e200, 1e200, 1e-200, 1e-200, 7}, 1, 1e-12);
  // In one column of a row; the others keep their numbers.
  expect_products<float>({1, 1e30f, 2, 3, 1e30f, 4, 5, 1e-30f, 6, 7, 1e-30f, 8}, 3, 1e-4);
  Rng rng(8);
  for (int i = 0; i < 60; ++i) {
    const std::size_t n = 2 * (1 + rng.below(8)), width = 1 + rng.below(3);
    std::vector<float> x(n * width);
    for (std::size_t s = 0; s < x.size(); ++s) {
      const double size = std::pow(10, (s / width % 2 == 0 ? 30 : -30) + rng.uniform(-1, 1));
      x[s] = static_cast<float>(rng.below(2) == 0 ? size : -size);
    }
    expect_products(x, width, 2e-4);
  }
}

TEST(Exclude, ProductsCountZerosByColumnOnBothPaths) {
  for (const double large : {1.0, 1e30}) {  // 1e30 and 1e-30 go through logarithms
    const auto l = static_cast<float>(large), s = static_cast<float>(1 / large);
    // Columns with no zero, one, two, and a negative number beside a zero.
    const std::vector<float> x{l, l, 0, -l, s, 0, s, 0, l, l, 0, l, s, s, l, s};
    const auto got = products(x, 4);
    const auto want = naive_products(x, 4);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(got[i], want[i], 1e-4 * std::abs(want[i])) << i;
    }
    for (const std::size_t i : {1, 9, 13, 2, 6, 10, 14, 3, 11, 15}) EXPECT_EQ(got[i], 0) << i;
    EXPECT_NE(got[5], 0);
    EXPECT_LT(got[7], 0);
  }
}

TEST(Exclude, GradientsOfProductsDoNotDependOnThePath) {
  Rng rng(9);
  const Edges edges = star(6);
  const Incidence node = edges.incidence();
  for (int i = 0; i < 20; ++i) {
    // Close together, and the same numbers times powers of two that cancel.
    auto x = normal_numbers<double>(rng, 6);
    if (i % 3 == 0) x[i % 6] = 0;
    if (i % 6 == 0) x[1] = 0;
    auto far = x;
    const double scale = std::ldexp(1.0, 500);
    for (std::size_t s = 0; s < 6; ++s) far[s] *= s % 2 == 0 ? scale : 1 / scale;
    const auto weight = normal_numbers<double>(rng, 6);
    auto far_weight = weight;
    // out_s is the product of all over x_s: scaled by the inverse.
    for (std::size_t s = 0; s < 6; ++s) far_weight[s] *= s % 2 == 0 ? scale : 1 / scale;
    const auto near = Problem<double>{node, 1, 1, Aggregate::product, nullptr, x}.backward(weight);
    auto got = Problem<double>{node, 1, 1, Aggregate::product, nullptr, far}.backward(far_weight);
    for (std::size_t s = 0; s < 6; ++s) got[s] *= s % 2 == 0 ? scale : 1 / scale;
    EXPECT_TRUE(same_numbers(got, near, 1e-10));
  }
}

TEST(Exclude, SumsByRowsKeepColumnsApart) {
  Rng rng(10);
  for (const std::size_t width : {1, 3, 8, 17}) {
    const std::size_t n = 5;
    const Incidence node = star(n).incidence();
    const auto x = normal_numbers<double>(rng, n * width);
    for (const Aggregate a : {Aggregate::sum, Aggregate::mean}) {
      std::vector<double> want(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t e = 0; e < n; ++e) {
          if (e != i / width) want[i] += x[e * width + i % width] / (a == Aggregate::sum ? 1 : 4);
        }
      }
      const Problem<double> p{node, 1, width, a, nullptr, x};
      EXPECT_TRUE(same_numbers(p.forward(), want, 1e-14));
      EXPECT_TRUE(same_numbers(p.backward(x), want, 1e-14));  // the map is its own transpose
    }
  }
}

}  // namespace
}  // namespace fgnn::kernels
