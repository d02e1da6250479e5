#include "fgnn/potentials/potentials.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;

std::vector<State> random_shape(Rng& rng, const std::string& kind) {
  std::vector<State> shape(1 + rng.below(5));
  for (State& s : shape) s = kind == "parity" ? 2 : static_cast<State>(1 + rng.below(4));
  return shape;
}

class EveryKind : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryKind, TableEqualsTheScoresOfAllStates) {
  Rng rng(7);
  for (int i = 0; i < 100; ++i) {
    const auto shape = random_shape(rng, GetParam());
    const auto p = testing::random_potential(rng, GetParam(), shape);
    ASSERT_EQ(p->kind(), GetParam());
    const Table table = expand(*p, shape);
    std::vector<State> x(shape.size(), 0);
    do {
      EXPECT_EQ(table.score(x), p->score(x));
      EXPECT_FALSE(std::isnan(p->score(x)));
    } while (next_configuration(shape, x));
  }
}

TEST_P(EveryKind, ExactLowRankFormScoresTheSame) {
  Rng rng(8);
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    const auto shape = random_shape(rng, GetParam());
    const auto p = testing::random_potential(rng, GetParam(), shape);
    const auto low_rank = p->low_rank(shape);
    if (!low_rank) continue;
    ++found;
    std::vector<State> x(shape.size(), 0);
    double scale = 0;
    do {
      if (p->score(x) != kForbidden) scale = std::max(scale, std::exp(p->score(x)));
    } while (next_configuration(shape, x));
    do {
      EXPECT_NEAR(std::exp(low_rank->score(x)), std::exp(p->score(x)), 1e-12 * scale + 1e-300);
    } while (next_configuration(shape, x));
  }
  if (GetParam() == "robust-potts") {  // where two labels cannot score at once
    EXPECT_GT(found, 30);
  } else {
    EXPECT_EQ(found, GetParam() == "max-rank-1" ? 0 : 100);
  }
}

TEST_P(EveryKind, EqualsItselfAndNotItsNeighbours) {
  Rng rng(9);
  std::vector<std::shared_ptr<const Potential>> all;
  for (const auto& kind : testing::all_kinds()) {
    all.push_back(testing::random_potential(rng, kind, {2, 2, 2}));
  }
  const auto mine = testing::random_potential(rng, GetParam(), {2, 2, 2});
  EXPECT_TRUE(mine->equals(*mine));
  EXPECT_GT(mine->bytes(), 0u);
  for (const auto& other : all) {
    if (other->kind() != mine->kind()) {
      EXPECT_FALSE(mine->equals(*other));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Potentials, EveryKind, ::testing::ValuesIn(testing::all_kinds()),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Parity, HasRankTwoAtAnyLength) {
  const std::vector<State> shape(500, 2);
  const auto low_rank = Parity(true).low_rank(shape);
  EXPECT_EQ(low_rank->rank(), 2u);
  std::vector<State> x(500, 1);
  EXPECT_EQ(low_rank->score(x), kForbidden);
  x[77] = 0;
  EXPECT_NEAR(low_rank->score(x), 0, 1e-12);
}

TEST(Count, HasRankArityPlusOne) {
  for (std::size_t n : {1u, 5u, 9u, 15u, 25u}) {
    const std::vector<State> shape(n, 2);
    const auto low_rank = Count::at_most(n / 2).low_rank(shape);
    EXPECT_EQ(low_rank->rank(), n + 1);
    for (std::size_t ones = 0; ones <= n; ++ones) {
      std::vector<State> x(n, 0);
      std::fill_n(x.begin(), ones, 1);
      EXPECT_NEAR(std::exp(low_rank->score(x)), ones <= n / 2 ? 1 : 0, 1e-8) << n << " " << ones;
    }
  }
  EXPECT_EQ(Count::at_most(3).low_rank(std::vector<State>(26, 2)), nullptr);
}

TEST(Count, FactoriesMeanWhatTheySay) {
  for (std::size_t ones = 0; ones <= 4; ++ones) {
    std::vector<State> x(4, 0);
    std::fill_n(x.begin(), ones, 1);
    EXPECT_EQ(Count::at_most(2).score(x), ones <= 2 ? 0 : kForbidden);
    EXPECT_EQ(Count::at_least(2).score(x), ones >= 2 ? 0 : kForbidden);
    EXPECT_EQ(Count::exactly(2).score(x), ones == 2 ? 0 : kForbidden);
    EXPECT_EQ(Count::exactly_one().score(x), ones == 1 ? 0 : kForbidden);
  }
  EXPECT_EQ(Count::at_most(2).saturation(), 3u);
  EXPECT_EQ(Count::at_least(2).saturation(), 2u);
  EXPECT_EQ(Count({0, 1, 2, 5, 5}, 5).saturation(), 3u);
}

TEST(Count, CountsChosenStatesOfAnyVariable) {
  const Count same({0, 10, 20, 30}, kForbidden, {{0, 2}});
  EXPECT_EQ(same.score(std::vector<State>{0, 1, 2}), 20);
  const Count each({0, 10, 20}, kForbidden, {{0}, {1, 2}});
  EXPECT_EQ(each.score(std::vector<State>{0, 2}), 20);
  EXPECT_EQ(each.misfit(std::vector<State>{2, 2}),
            "chooses state 2 of position 1, which has 2 states");
  EXPECT_EQ(each.misfit(std::vector<State>{2, 3, 3}),
            "chooses states for 2 variables, the scope has 3");
  expect_error(ErrorCode::model, "no states are chosen", [] { Count({0}, 0, {}); });
}

TEST(AllDifferent, LowRankFollowsInclusionAndExclusion) {
  const AllDifferent p;
  EXPECT_EQ(p.low_rank(std::vector<State>(4, 4))->rank(), 15u);
  EXPECT_EQ(p.low_rank(std::vector<State>(2, 5))->rank(), 15u);
  EXPECT_EQ(p.low_rank(std::vector<State>(8, 21)), nullptr);
  EXPECT_EQ(p.low_rank(std::vector<State>(10, 14)), nullptr);
  std::vector<State> many(40);
  for (State i = 0; i < 40; ++i) many[i] = i;
  EXPECT_EQ(p.score(many), 0);
  many[39] = 3;
  EXPECT_EQ(p.score(many), kForbidden);
}

TEST(LowRank, RefusesNegativePotentials) {
  const LowRank negative({2}, {1, -1}, {{1, 0, 0, 1}});
  EXPECT_EQ(negative.score(std::vector<State>{0}), 0);
  expect_error(ErrorCode::model, "low-rank: the potential of state 1 is negative",
               [&] { negative.score(std::vector<State>{1}); });
}

TEST(LowRank, LongProductsNeitherOverflowNorVanish) {
  const std::size_t n = 2000;
  const LowRank tiny(std::vector<State>(n, 1), {1, 1},
                     std::vector<std::vector<double>>(n, {1e-3, 1e-3}));
  EXPECT_NEAR(tiny.score(std::vector<State>(n, 0)), double(n) * std::log(1e-3) + std::log(2), 1e-8);
  const LowRank huge(std::vector<State>(n, 1), {1}, std::vector<std::vector<double>>(n, {1e3}));
  EXPECT_NEAR(huge.score(std::vector<State>(n, 0)), double(n) * std::log(1e3), 1e-8);
  EXPECT_TRUE(huge.non_negative());
  EXPECT_FALSE(Parity().low_rank(std::vector<State>{2, 2})->non_negative());
}

TEST(Potentials, RefuseWhatMakesNoSense) {
  expect_error(ErrorCode::model, "table: 3 values for a shape of 2 x 2", [] {
    Table({2, 2}, {1, 2, 3});
  });
  expect_error(ErrorCode::model, "table: value 1 is nan", [] { Table({2}, {1, NAN}); });
  expect_error(ErrorCode::model, "sparse: row 0 has state 2 where there are 2", [] {
    Sparse({2, 2}, 0, {0, 2}, {1});
  });
  expect_error(ErrorCode::model, "sparse: the joint state 0 1 is listed twice", [] {
    Sparse({2, 2}, 0, {0, 1, 1, 1, 0, 1}, {1, 2, 3});
  });
  expect_error(ErrorCode::model, "sparse: 3 states listed for 2 rows of 2", [] {
    Sparse({2, 2}, 0, {0, 1, 1}, {1, 2});
  });
  expect_error(ErrorCode::model, "low-rank: 1 weight matrices for 2 variables", [] {
    LowRank({2, 2}, {1}, {{1, 1}});
  });
  expect_error(ErrorCode::model, "low-rank: weights of variable 0 are 3 numbers", [] {
    LowRank({2}, {1}, {{1, 1, 1}});
  });
  expect_error(ErrorCode::model, "low-rank: a weight is inf",
               [] { LowRank({1}, {1}, {{INFINITY}}); });
  expect_error(ErrorCode::model, "max-rank-1: term 1 has 1 weights, the shape needs 2", [] {
    MaxRankOne({2}, {{0, 0}, {1}});
  });
  EXPECT_EQ(Parity().misfit(std::vector<State>{2, 3}),
            "needs binary variables, position 1 has 3 states");
}

TEST(Potentials, ExpansionRefusesLargeTables) {
  expect_error(ErrorCode::too_large, "parity: its table over 30 variables would have more than",
               [] { expand(Parity(), std::vector<State>(30, 2)); });
  expect_error(ErrorCode::too_large, "parity",
               [] { expand(Parity(), std::vector<State>(100, 2)); });
  expect_error(ErrorCode::model, "parity: needs binary",
               [] { expand(Parity(), std::vector<State>{3}); });
}

}  // namespace
}  // namespace fgnn
