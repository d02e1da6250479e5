#include "fgnn/kernels/exclude.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/differences.h"
#include "tests/reference/message.h"
#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::dot;
using testing::Edges;
using testing::expect_gradient;
using testing::normal_numbers;
using testing::random_edges;
using testing::same_numbers;

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
                         [](const auto& given) { return std::string(name(given.param)); });

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

}  // namespace
}  // namespace fgnn::kernels
