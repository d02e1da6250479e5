#include "fgnn/decompose/cp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_table.h"

namespace fgnn {
namespace {

using testing::expect_error;
using testing::random_shape;
using testing::random_table;

// The slow twin: exp(log_scale) * sum_r lambda_r prod_j w_j^r(x_j), signs and all.
double linear_value(const LowRank& p, const std::vector<State>& x) {
  double sum = 0;
  for (std::size_t r = 0; r < p.rank(); ++r) {
    double term = p.lambda()[r];
    for (std::size_t j = 0; j < x.size(); ++j) term *= p.weight(j, x[j], r);
    sum += term;
  }
  return std::exp(p.log_scale()) * sum;
}

struct Measured {
  double relative = 0, max = 0, min_value = kInfinity;
};

Measured measure(const Table& table, const LowRank& p) {
  double squares = 0, norm = 0, largest = 0;
  Measured m;
  std::vector<State> x(table.shape().size(), 0);
  do {
    const double wanted = std::exp(table.score(x)), got = linear_value(p, x);
    squares += (got - wanted) * (got - wanted);
    norm += wanted * wanted;
    largest = std::max(largest, wanted);
    m.max = std::max(m.max, std::fabs(got - wanted));
    m.min_value = std::min(m.min_value, got);
  } while (next_configuration(table.shape(), x));
  if (norm > 0) {
    m.relative = std::sqrt(squares / norm);
    m.max /= largest;
    m.min_value /= largest;
  }
  return m;
}

std::size_t enough_terms(const Table& table) { return table.low_rank(table.shape())->rank(); }

Table planted(Rng& rng, std::vector<State> shape, std::size_t rank) {
  std::vector<std::vector<double>> weights;
  for (State states : shape) {
    auto& matrix = weights.emplace_back(states * rank);
    for (double& w : matrix) w = rng.uniform(0.02, 1);
  }
  const LowRank p(shape, std::vector<double>(rank, 1.0), std::move(weights), rng.uniform(-50, 50));
  return expand(p, shape);
}

TEST(Cp, ReportedErrorsAreTheMeasuredOnes) {
  Rng rng(1);
  for (int i = 0; i < 60; ++i) {
    const Table table = random_table(rng, random_shape(rng, 5, 4), 0.3);
    CpOptions options;
    options.non_negative = i % 2;
    options.starts = 2;
    const CpResult cp = decompose_cp(table, 1 + rng.below(4), options);
    const Measured m = measure(table, *cp.potential);
    EXPECT_NEAR(cp.relative_error, m.relative, 1e-9);
    EXPECT_NEAR(cp.max_error, m.max, 1e-9);
    EXPECT_NEAR(cp.min_value, m.min_value, 1e-9);
    EXPECT_LT(cp.relative_error, 1);
  }
}

TEST(Cp, IsExactWithAsManyTermsAsTheTableHasRows) {
  Rng rng(2);
  for (int i = 0; i < 100; ++i) {
    const Table table = random_table(rng, random_shape(rng, 5, 4), 0.3);
    const std::size_t rank = std::max<std::size_t>(enough_terms(table), 1);
    const CpResult cp = decompose_cp(table, rank);
    EXPECT_LE(cp.relative_error, 1e-14);
    EXPECT_EQ(cp.starts, 0u);
    std::vector<State> x(table.shape().size(), 0);
    do {
      const double wanted = table.score(x), got = cp.potential->score(x);
      if (wanted == kForbidden) {
        EXPECT_EQ(got, kForbidden);
      } else {
        EXPECT_NEAR(got, wanted, 1e-12);
      }
    } while (next_configuration(table.shape(), x));
  }
}

TEST(Cp, MatricesAreCutOffAtTheirSingularValues) {
  // exp of the table: diag(4, 2, 1), whatever variables with one state stand around it.
  const double l4 = std::log(4), l2 = std::log(2), f = kForbidden;
  const Table table({1, 3, 1, 3}, {l4, f, f, f, l2, f, f, f, 0});
  EXPECT_NEAR(decompose_cp(table, 1).relative_error, std::sqrt(5.0 / 21), 1e-14);
  EXPECT_NEAR(decompose_cp(table, 2).relative_error, std::sqrt(1.0 / 21), 1e-14);
  EXPECT_NEAR(decompose_cp(table, 3).relative_error, 0, 1e-14);
  EXPECT_NEAR(decompose_cp(table, 2).potential->lambda()[1], 0.5, 1e-14);
}

TEST(Cp, RecoversPlantedTerms) {
  Rng rng(3);
  for (int i = 0; i < 30; ++i) {
    const std::size_t rank = 1 + rng.below(3);
    std::vector<State> shape(3 + rng.below(3));
    for (State& s : shape) s = static_cast<State>(2 + rng.below(3));
    const CpResult cp = decompose_cp(planted(rng, shape, rank), rank);
    EXPECT_LT(cp.relative_error, 1e-6) << "instance " << i << ", rank " << rank;
    EXPECT_LE(cp.potential->rank(), rank);
  }
}

TEST(Cp, RecoversPlantedTermsTooManyForGaussNewton) {
  Rng rng(4);
  const Table table = planted(rng, {26, 25, 27}, 4);
  CpOptions options;
  options.tolerance = 1e-7;
  const CpResult cp = decompose_cp(table, 4, options);
  EXPECT_LT(cp.relative_error, 1e-6);
  EXPECT_GT(cp.starts, 0u);
}

TEST(Cp, NonNegativeTermsAreLegalPotentials) {
  Rng rng(5);
  for (int i = 0; i < 30; ++i) {
    const Table table = random_table(rng, random_shape(rng, 5, 4), 0.3);
    CpOptions options;
    options.non_negative = true;
    options.starts = 3;
    const CpResult cp = decompose_cp(table, 1 + rng.below(4), options);
    EXPECT_TRUE(cp.potential->non_negative());
    EXPECT_GE(cp.min_value, 0);
    EXPECT_NO_THROW(expand(*cp.potential, table.shape()));
  }
}

TEST(Cp, NonNegativeTermsCanBeRecovered) {
  Rng rng(6);
  for (int i = 0; i < 10; ++i) {
    CpOptions options;
    options.non_negative = true;
    const CpResult cp = decompose_cp(planted(rng, {3, 4, 3, 2}, 2), 2, options);
    EXPECT_LT(cp.relative_error, 1e-6);
  }
}

TEST(Cp, LiftingMakesAnApproximationLegal) {
  Rng rng(10);
  const Table table = random_table(rng, {3, 3, 3}, 0.4);
  const CpResult cp = decompose_cp(table, 2);
  ASSERT_LT(cp.min_value, -1e-3);
  EXPECT_THROW(expand(*cp.potential, table.shape()), Error);
  const auto legal = lift(*cp.potential, -cp.min_value);
  EXPECT_EQ(legal->rank(), cp.potential->rank() + 1);
  EXPECT_NO_THROW(expand(*legal, table.shape()));
  const std::vector<State> x{0, 2, 1};
  const double shift = -cp.min_value * std::exp(cp.potential->log_scale());
  EXPECT_NEAR(linear_value(*legal, x), linear_value(*cp.potential, x) + shift, 1e-12);
}

TEST(Cp, ParityHasRankTwo) {
  for (std::size_t n = 2; n <= 9; ++n) {
    const Table table = expand(Parity(n % 2), std::vector<State>(n, 2));
    const CpResult cp = smallest_rank(table, 1e-8, 5);
    EXPECT_EQ(cp.potential->rank(), 2u) << n;
    EXPECT_LE(cp.relative_error, 1e-8) << n;
  }
}

TEST(Cp, SmallestRankStopsAtTheFirstThatIsGoodEnough) {
  Rng rng(7);
  const Table table = planted(rng, {3, 3, 3, 3}, 3);
  const CpResult exact = smallest_rank(table, 1e-7, 6);
  EXPECT_EQ(exact.potential->rank(), 3u);
  const CpResult rough = smallest_rank(table, 0.2, 6);
  EXPECT_LT(rough.potential->rank(), 3u);
  EXPECT_LE(rough.relative_error, 0.2);
  const CpResult never = smallest_rank(random_table(rng, {3, 3, 3}), 1e-9, 2);
  EXPECT_GT(never.relative_error, 1e-9);
  EXPECT_EQ(never.potential->rank(), 2u);
}

TEST(Cp, MoreTermsAreNotWorse) {
  Rng rng(8);
  for (int i = 0; i < 8; ++i) {
    const Table table = random_table(rng, {3, 2, 3, 2}, 0.2);
    double last = 1;
    for (std::size_t rank = 1; rank <= 6; ++rank) {
      const double error = decompose_cp(table, rank).relative_error;
      EXPECT_LE(error, last + 0.01) << "rank " << rank;
      last = error;
    }
    EXPECT_LT(last, 0.2);
  }
}

TEST(Cp, SameSeedSameAnswer) {
  Rng rng(9);
  const Table table = random_table(rng, {3, 3, 3, 2}, 0.1);
  CpOptions options;
  options.seed = 5;
  const CpResult a = decompose_cp(table, 3, options), b = decompose_cp(table, 3, options);
  EXPECT_TRUE(a.potential->equals(*b.potential));
  EXPECT_EQ(a.iterations, b.iterations);
}

TEST(Cp, NothingAllowedHasNoTerms) {
  const CpResult cp = decompose_cp(Table({2, 2, 2}, std::vector<double>(8, kForbidden)), 3);
  EXPECT_EQ(cp.potential->rank(), 0u);
  EXPECT_EQ(cp.relative_error, 0);
  EXPECT_EQ(cp.potential->score(std::vector<State>{0, 1, 0}), kForbidden);
}

TEST(Cp, ATableWithoutVariablesIsAConstant) {
  EXPECT_NEAR(decompose_cp(Table({}, {1.5}), 1).potential->score({}), 1.5, 1e-15);
  EXPECT_EQ(decompose_cp(Table({}, {kForbidden}), 1).potential->score({}), kForbidden);
}

TEST(Cp, HugeAndTinyPotentialsKeepTheirScale) {
  const Table huge({2, 2}, {900, 901, 902, 903});
  EXPECT_NEAR(decompose_cp(huge, 1).potential->score(std::vector<State>{1, 0}), 902, 1e-9);
  const Table tiny({2, 2, 2}, {-901, -902, -903, -904, -905, -906, -907, -908});
  EXPECT_NEAR(decompose_cp(tiny, 1).potential->score(std::vector<State>{0, 1, 0}), -903, 1e-6);
}

TEST(Cp, RefusesOptionsThatMakeNoSense) {
  const Table table({2}, {0, 0});
  expect_error(ErrorCode::usage, "rank: must be at least 1", [&] { decompose_cp(table, 0); });
  expect_error(ErrorCode::usage, "starts: must be at least 1",
               [&] { decompose_cp(table, 1, {.starts = 0}); });
  expect_error(ErrorCode::usage, "max_iterations: must be at least 1",
               [&] { decompose_cp(table, 1, {.max_iterations = 0}); });
  expect_error(ErrorCode::usage, "tolerance: must be zero or more",
               [&] { decompose_cp(table, 1, {.tolerance = NAN}); });
  expect_error(ErrorCode::usage, "tolerance: must be zero or more",
               [&] { smallest_rank(table, -1, 1); });
}

}  // namespace
}  // namespace fgnn
