#include "fgnn/graph/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgnn/core/error.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using ::testing::ElementsAre;
using testing::expect_error;

FactorGraph small_graph() {
  GraphBuilder b;
  auto x = b.variables("x", 4, 2);
  const VariableId rain = b.variable("rain", 3);
  b.unary(x[1], {0.5, -0.5});
  b.unary(x[1], {1, 0});
  b.constant(0.25);
  b.factor({x[0], rain}, Table{{2, 3}, {0, 1, 2, 3, 4, kForbidden}});
  const PotentialId budget = b.potential(Count::at_most(1));
  b.factor(x.slice(0, 3), budget);
  b.factor(x.slice(1, 4), budget);
  return std::move(b).build();
}

TEST(GraphBuilder, KeepsScopesInOrderAndLinksBothWays) {
  const FactorGraph g = small_graph();
  EXPECT_EQ(g.num_variables(), 5u);
  EXPECT_EQ(g.num_factors(), 3u);
  EXPECT_EQ(g.num_edges(), 8u);
  EXPECT_THAT(g.scope(0), ElementsAre(0u, 4u));
  EXPECT_THAT(g.scope(2), ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(g.edges(1), ElementsAre(3u, 5u));
  for (VariableId v = 0; v < g.num_variables(); ++v) {
    for (EdgeId e : g.edges(v)) {
      EXPECT_EQ(g.variable_of(e), v);
      const FactorId c = g.factor_of(e);
      EXPECT_EQ(g.scope(c)[e - g.first_edge(c)], v);
    }
  }
}

TEST(GraphBuilder, SharesOnePotentialAmongManyFactors) {
  const FactorGraph g = small_graph();
  EXPECT_EQ(g.num_potentials(), 2u);
  EXPECT_EQ(g.potential_index(1), g.potential_index(2));
  EXPECT_EQ(&g.potential(1), &g.potential(2));
}

TEST(GraphBuilder, UnariesAddUpAndDefaultToZero) {
  const FactorGraph g = small_graph();
  EXPECT_THAT(g.unary(1), ElementsAre(1.5, -0.5));
  EXPECT_THAT(g.unary(4), ElementsAre(0, 0, 0));
}

TEST(GraphBuilder, VariablesAreFoundByName) {
  const FactorGraph g = small_graph();
  EXPECT_EQ(g.name(2), "x[2]");
  EXPECT_EQ(g.name(4), "rain");
  EXPECT_EQ(g.find("x[3]"), 3u);
  EXPECT_EQ(g.find("rain"), 4u);
  for (const char* wrong :
       {"x", "x[4]", "x[", "x[]", "x[1", "x[1]]", "x[-1]", "rain[0]", "snow", ""}) {
    EXPECT_EQ(g.find(wrong), std::nullopt) << wrong;
  }
}

TEST(GraphBuilder, ElementsOfAnArrayMayDifferInTheirStates) {
  GraphBuilder b;
  const auto x = b.variables("x", std::vector<State>{2, 3, 1});
  b.unary(x[1], {0, 1, 2});
  const auto none = std::vector<State>{2, 0};
  expect_error(ErrorCode::model, "variable 'y': a variable needs at least one state",
               [&] { b.variables("y", none); });
  const FactorGraph g = std::move(b).build();
  EXPECT_THAT(g.states(), ElementsAre(2u, 3u, 1u));
  EXPECT_EQ(g.name(2), "x[2]");
  EXPECT_EQ(g.total_states(), 6u);
}

TEST(GraphBuilder, UnariesAndConstantsMayNotAddUpToInfinity) {
  GraphBuilder b;
  const auto x = b.variables("x", 1, 2);
  b.unary(x[0], {0, 1e308});
  b.constant(1e308);
  expect_error(ErrorCode::model, "x[0]: log-potential inf", [&] { b.unary(x[0], {0, 1e308}); });
  expect_error(ErrorCode::model, "constant: log-potential inf", [&] { b.constant(1e308); });
  EXPECT_THAT(std::move(b).build().unary(0), ElementsAre(0, 1e308));
}

TEST(GraphBuilder, ScoreAddsConstantUnariesAndFactors) {
  const FactorGraph g = small_graph();
  EXPECT_DOUBLE_EQ(g.score(std::vector<State>{1, 0, 0, 0, 1}), 0.25 + 1.5 + 4);
  EXPECT_EQ(g.score(std::vector<State>{1, 0, 0, 0, 2}), kForbidden);
  EXPECT_EQ(g.score(std::vector<State>{0, 1, 1, 0, 0}), kForbidden);
  expect_error(ErrorCode::model, "assignment: 2 states for 5 variables", [&] {
    g.score(std::vector<State>{0, 0});
  });
  expect_error(ErrorCode::model, "rain: state 3 is out of range, it has 3", [&] {
    g.score(std::vector<State>{0, 0, 0, 0, 3});
  });
}

TEST(GraphBuilder, RefusalsNameTheOffenderAndLeaveTheBuilderUsable) {
  GraphBuilder b;
  auto x = b.variables("x", 3, 2);
  const auto pair = [](double v) { return Table{{2, 2}, {v, 0, 0, 0}}; };
  expect_error(ErrorCode::model, "factor 0: x[1] appears twice in the scope", [&] {
    b.factor({x[1], x[1]}, pair(0));
  });
  expect_error(ErrorCode::model, "factor 0: variable 9 is not declared", [&] {
    b.factor({x[1], 9u}, pair(0));
  });
  expect_error(ErrorCode::model,
               "factor 0 (x[0], …): is for a shape of 2 x 2, the scope has 2 x 2 x 2",
               [&] { b.factor(x, pair(0)); });
  expect_error(ErrorCode::model, "factor 0: has no variables",
               [&] { b.factor(x.slice(0, 0), Parity{}); });
  expect_error(ErrorCode::model, "x[0]: 3 unary log-potentials for 2 states", [&] {
    b.unary(x[0], {1, 2, 3});
  });
  expect_error(ErrorCode::model, "x[2]: log-potential nan", [&] { b.unary(x[2], {0, NAN}); });
  expect_error(ErrorCode::model, "constant: log-potential inf", [&] { b.constant(kInfinity); });
  expect_error(ErrorCode::model, "variable 7: not declared", [&] { b.unary(7, {0, 0}); });
  expect_error(ErrorCode::model, "variable 'x': declared twice", [&] { b.variable("x", 2); });
  expect_error(ErrorCode::model, "variable 'a b': not a legal name", [&] { b.variable("a b", 2); });
  expect_error(ErrorCode::model, "variable 'y': a variable needs at least one state",
               [&] { b.variable("y", 0); });
  expect_error(ErrorCode::model, "variable 'y': more than 2^32 states",
               [&] { b.variables("y", 1u << 31, 3); });
  expect_error(ErrorCode::model, "slice: elements 2 to 5 of an array of 3", [&] { x.slice(2, 5); });
  expect_error(ErrorCode::model, "potential: was not declared",
               [&] { b.factor({x[0]}, PotentialId{4}); });
  b.factor({x[1], x[0]}, pair(1));
  const FactorGraph g = std::move(b).build();
  EXPECT_EQ(g.num_factors(), 1u);
  EXPECT_EQ(g.num_potentials(), 1u);
  EXPECT_DOUBLE_EQ(g.score(std::vector<State>{0, 0, 0}), 1);
}

TEST(GraphBuilder, EstimateEqualsTheFinishedGraph) {
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    GraphBuilder b;
    auto x = b.variables("a_rather_long_name_for_an_array", 10 + rng.below(100), 3);
    b.variable("y", 2);
    for (int f = 0; f < 50; ++f) {
      b.factor({x[rng.below(5)], x[5 + rng.below(5)]}, Table{{3, 3}, std::vector<double>(9, 0.5)});
    }
    const std::size_t estimate = b.estimated_bytes();
    EXPECT_EQ(estimate, std::move(b).build().bytes());
  }
}

TEST(Evidence, HardEvidenceForbidsOtherStates) {
  const FactorGraph g = small_graph();
  const FactorGraph given = g.given(Evidence().fix(1, 1).weigh(4, {0, -1, kForbidden}));
  EXPECT_THAT(given.unary(1), ElementsAre(kForbidden, -0.5));
  EXPECT_THAT(given.unary(4), ElementsAre(0, -1, kForbidden));
  EXPECT_THAT(g.unary(1), ElementsAre(1.5, -0.5)) << "the original is untouched";
  EXPECT_TRUE(given.same_structure(g));
}

TEST(Evidence, RefusalsNameTheVariable) {
  const FactorGraph g = small_graph();
  expect_error(ErrorCode::model, "x[1]: observed in state 2, but it has states 0..1",
               [&] { g.given(Evidence().fix(1, 2)); });
  expect_error(ErrorCode::model, "evidence: there is no variable 5",
               [&] { g.given(Evidence().fix(5, 0)); });
  expect_error(ErrorCode::model, "rain: soft evidence has 2 weights for 3 states", [&] {
    g.given(Evidence().weigh(4, {0, 0}));
  });
  expect_error(ErrorCode::model, "rain: soft evidence adds up to plus infinity", [&] {
    g.given(Evidence().weigh(4, {0, 1e308, 0}).weigh(4, {0, 1e308, 0}));
  });
  expect_error(ErrorCode::model, "rain: soft evidence must be finite or -inf", [&] {
    g.given(Evidence().weigh(4, {0, NAN, 0}));
  });
}

TEST(FactorGraph, WithUnariesReplacesThem) {
  const FactorGraph g = small_graph();
  std::vector<double> unaries(g.total_states(), 1.0);
  EXPECT_THAT(g.with_unaries(unaries).unary(4), ElementsAre(1, 1, 1));
  unaries.pop_back();
  expect_error(ErrorCode::model, "unary potentials: 10 values for 11 states",
               [&] { g.with_unaries(unaries); });
  expect_error(ErrorCode::model, "must be finite or -inf",
               [&] { g.with_unaries(std::vector<double>(11, NAN)); });
}

TEST(FactorGraph, DescribeShortensLongScopes) {
  GraphBuilder b;
  auto x = b.variables("x", 9, 2);
  b.factor(x, Parity{});
  b.factor({x[8], x[1]}, Parity{});
  const FactorGraph g = std::move(b).build();
  EXPECT_EQ(g.describe(0), "factor 0 (x[0], x[1], x[2], x[3], x[4], x[5], … 9 in all)");
  EXPECT_EQ(g.describe(1), "factor 1 (x[8], x[1])");
}

TEST(FactorGraph, StructureComparesScopesNotPotentials) {
  Rng rng(1);
  const FactorGraph g = testing::random_graph(rng, {.min_variables = 3});
  EXPECT_TRUE(g.same_structure(testing::with_tables(g)));
  EXPECT_FALSE(g.same_structure(small_graph()));
  EXPECT_EQ(FactorGraph().num_variables(), 0u);
  EXPECT_EQ(FactorGraph().score({}), 0);
}

}  // namespace
}  // namespace fgnn
