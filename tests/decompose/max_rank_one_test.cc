#include "fgnn/decompose/max_rank_one.h"

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

// Largest difference of log-values; infinite when one forbids what the other allows.
double difference(const Table& table, const MaxRankOne& p) {
  double largest = 0;
  std::vector<State> x(table.shape().size(), 0);
  do {
    const double a = table.score(x), b = p.score(x);
    if (a != b) largest = std::max(largest, std::fabs(a - b));
  } while (next_configuration(table.shape(), x));
  return largest;
}

std::size_t allowed(const Table& table) {
  std::size_t count = 0;
  for (double v : table.values()) count += v != kForbidden;
  return count;
}

MaxRankOne random_maximum(Rng& rng, const std::vector<State>& shape, std::size_t size) {
  std::size_t width = 0;
  for (State s : shape) width += s;
  std::vector<std::vector<double>> terms(size, std::vector<double>(width));
  for (auto& term : terms) {
    for (double& w : term) w = rng.normal();
  }
  return {shape, terms};
}

TEST(LemmaOne, EveryTableIsAMaximumOfRankOneTerms) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const Table table = random_table(rng, random_shape(rng, 5, 4), i % 2 ? 0.4 : 0);
    const MaxRankOne p = lemma_one(table);
    EXPECT_EQ(p.size(), allowed(table));
    EXPECT_LT(difference(table, p), 1e-13);
  }
}

TEST(DecomposeMax, IsExactAndNeverLargerThanTheLemma) {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    const Table table = random_table(rng, random_shape(rng, 5, 4), i % 2 ? 0.4 : 0);
    const MaxResult result = decompose_max(table);
    EXPECT_LE(result.potential->size(), result.lemma_terms);
    EXPECT_EQ(result.lemma_terms, allowed(table));
    EXPECT_LT(result.max_error, 1e-13);
    EXPECT_EQ(result.max_error, difference(table, *result.potential));
  }
}

TEST(DecomposeMax, StaysWithinTheTolerance) {
  Rng rng(3);
  for (int i = 0; i < 100; ++i) {
    const Table table = random_table(rng, random_shape(rng, 5, 4), i % 2 ? 0.4 : 0);
    const double tolerance = rng.uniform(0, 2);
    const MaxResult result = decompose_max(table, {.tolerance = tolerance});
    EXPECT_LE(result.max_error, tolerance + 1e-13);
    EXPECT_EQ(result.max_error, difference(table, *result.potential));
    EXPECT_LE(result.potential->size(), result.lemma_terms);
  }
}

TEST(DecomposeMax, ToleranceSavesTerms) {
  Rng rng(4);
  Table table = expand(random_maximum(rng, std::vector<State>(8, 2), 1), std::vector<State>(8, 2));
  std::vector<double> values = table.values();
  for (double& v : values) v += rng.uniform(-0.01, 0.01);
  table = Table(table.shape(), values);
  EXPECT_GT(decompose_max(table).potential->size(), 20u);
  EXPECT_LE(decompose_max(table, {.tolerance = 0.05}).potential->size(), 2u);
}

TEST(DecomposeMax, SumsOfUnivariateFunctionsAreOneTerm) {
  Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    const auto shape = random_shape(rng, 6, 4);
    EXPECT_EQ(decompose_max(expand(random_maximum(rng, shape, 1), shape)).potential->size(), 1u);
  }
}

TEST(DecomposeMax, SumsWithForbiddenStatesAreOneTerm) {
  const double f = kForbidden;
  const Table table =
      expand(MaxRankOne({2, 3, 3}, {{0, 1, 2, f, 3, f, 4, 5}}), std::vector<State>{2, 3, 3});
  EXPECT_EQ(decompose_max(table).potential->size(), 1u);
}

TEST(DecomposeMax, FindsTheFewTermsATableWasMadeOf) {
  Rng rng(6);
  std::size_t found = 0, planted = 0;
  for (int i = 0; i < 40; ++i) {
    const std::size_t size = 2 + rng.below(4);
    const std::vector<State> shape(4 + rng.below(2), 3);
    const MaxResult result = decompose_max(expand(random_maximum(rng, shape, size), shape));
    EXPECT_LT(result.max_error, 1e-13);
    found += result.potential->size();
    planted += size;
  }
  EXPECT_LE(static_cast<double>(found), 1.05 * static_cast<double>(planted));
}

TEST(DecomposeMax, BudgetsTakeOneTermPerLargestSet) {
  const std::size_t binomial[] = {1, 7, 21, 35, 35, 21, 7};  // 7 over k
  for (std::size_t k = 0; k < 7; ++k) {
    const Table table = expand(Count::at_most(k), std::vector<State>(7, 2));
    EXPECT_EQ(decompose_max(table).potential->size(), binomial[k]) << "at most " << k;
  }
}

TEST(DecomposeMax, ParityCannotBeCompressed) {
  const MaxResult result = decompose_max(expand(Parity(), std::vector<State>(6, 2)));
  EXPECT_EQ(result.potential->size(), 32u);
  EXPECT_EQ(result.lemma_terms, 32u);
}

TEST(DecomposeMax, NothingAllowedHasNoTerms) {
  const MaxResult result = decompose_max(Table({2, 2}, std::vector<double>(4, kForbidden)));
  EXPECT_EQ(result.potential->size(), 0u);
  EXPECT_EQ(result.max_error, 0);
}

TEST(DecomposeMax, SameSeedSameAnswer) {
  Rng rng(7);
  const Table table = random_table(rng, {3, 3, 3, 3}, 0.2);
  const auto a = decompose_max(table, {.seed = 3}), b = decompose_max(table, {.seed = 3});
  EXPECT_TRUE(a.potential->equals(*b.potential));
}

TEST(DecomposeMax, RefusesWhatMakesNoSense) {
  const Table table({2}, {0, 0});
  expect_error(ErrorCode::usage, "tries: must be at least 1",
               [&] { decompose_max(table, {.tries = 0}); });
  expect_error(ErrorCode::usage, "tolerance: must be zero or more",
               [&] { decompose_max(table, {.tolerance = -1}); });
  expect_error(ErrorCode::unsupported, "the table has no variables",
               [] { decompose_max(Table({}, {1})); });
  expect_error(ErrorCode::unsupported, "the table has no variables",
               [] { lemma_one(Table({}, {1})); });
}

}  // namespace
}  // namespace fgnn
