#include "fgnn/infer/ad3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;
using testing::random_graph;

// Every number a result holds makes sense, whatever the status.
void expect_sound(const FactorGraph& g, const Result& r) {
  EXPECT_FALSE(std::isnan(r.bound));
  ASSERT_EQ(r.assignment.size(), g.num_variables());
  EXPECT_EQ(r.score, g.score(r.assignment));
  EXPECT_LE(r.score, r.bound + 1e-9);
  for (VariableId v = 0; v < g.num_variables(); ++v) {
    double total = 0;
    for (State x = 0; x < g.states(v); ++x) {
      EXPECT_GE(r.marginals[v][x], 0);
      if (g.unary(v)[x] == kForbidden) {
        EXPECT_EQ(r.marginals[v][x], 0);
      }
      total += r.marginals[v][x];
    }
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(Ad3, BoundIsNeverBelowTheMapAndExactIsExactOnAllKinds) {
  Rng rng(31);
  for (int i = 0; i < 600; ++i) {
    const FactorGraph g = random_graph(
        rng, {.max_variables = 10, .max_factors = 14, .max_arity = 5, .binary = i % 2 == 0});
    const Result map = exact_map(g);
    for (const std::size_t iterations : {0, 1, 7, 500}) {
      const Result r = ad3(g, {.iterations = iterations});
      ASSERT_NE(r.status, Status::infeasible);
      expect_sound(g, r);
      EXPECT_GE(r.bound, map.score - 1e-9) << "graph " << i;
      EXPECT_LE(r.score, map.score + 1e-9);
      if (r.status == Status::exact) {
        EXPECT_NEAR(r.score, map.score, 2e-6);
      }
      EXPECT_LE(r.iterations, iterations);
    }
  }
}

TEST(Ad3, RelaxationIsTightOnTrees) {
  Rng rng(32);
  for (int i = 0; i < 200; ++i) {
    const FactorGraph plain = random_graph(rng, {.max_variables = 10, .tree = true});
    // Random weights everywhere make the optimum unique.
    Evidence evidence;
    for (VariableId v = 0; v < plain.num_variables(); ++v) {
      std::vector<double> weights(plain.states(v));
      for (double& w : weights) w = rng.uniform(-1, 1);
      evidence.weigh(v, std::move(weights));
    }
    const Result r = ad3(plain, {.iterations = 5000}, evidence);
    EXPECT_EQ(r.status, Status::exact) << "tree " << i;
    EXPECT_NEAR(r.score, exact_map(plain, {}, evidence).score, 1e-6);
  }
}

TEST(Ad3, TheBoundFallsToTheRelaxationOnAFrustratedCycle) {
  // Three variables that all want to differ: at best two pairs do, by half a cycle the relaxation
  // has all three.
  GraphBuilder b;
  auto x = b.variables("x", 3, 2);
  const PotentialId differ = b.potential(Table{{2, 2}, {0, 1, 1, 0}});
  for (std::size_t i = 0; i < 3; ++i) b.factor({x[i], x[(i + 1) % 3]}, differ);
  const FactorGraph g = std::move(b).build();
  const Result r = ad3(g);
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_NEAR(r.bound, 3, 1e-5);
  EXPECT_EQ(r.score, 2);
  for (VariableId v = 0; v < 3; ++v) EXPECT_NEAR(r.marginals[v][0], 0.5, 1e-4);
}

TEST(Ad3, FixedStepsReachTheSameBound) {
  Rng rng(33);
  for (int i = 0; i < 20; ++i) {
    const FactorGraph g = random_graph(rng, {.min_variables = 5, .kinds = {"table", "count"}});
    const Result adapted = ad3(g, {.iterations = 20000});
    const Result fixed = ad3(g, {.iterations = 20000, .step = 0.5, .adapt_step = false});
    EXPECT_NEAR(adapted.bound, fixed.bound, 1e-4) << "graph " << i;
  }
}

TEST(Ad3, RoundsPlainlyOrRepairs) {
  // Rewards for neighbours and overlapping budgets: the relaxation is fractional, and rounding it
  // variable by variable overdraws a budget now and then.
  Rng rng(34);
  int broken = 0;
  for (int i = 0; i < 60; ++i) {
    GraphBuilder b;
    auto x = b.variables("x", 12, 2);
    for (VariableId v : x) b.unary(v, {rng.uniform(), rng.uniform()});
    for (std::size_t j = 0; j + 1 < 12; ++j) {
      b.factor({x[j], x[j + 1]}, Table{{2, 2}, {0, 0, 0, rng.uniform(0, 2)}});
    }
    for (std::size_t j = 0; j + 6 <= 12; ++j) {
      b.factor(x.slice(j, j + 6), Count::at_most(1 + rng.below(4)));
    }
    const FactorGraph g = std::move(b).build();
    const Result plain = ad3(g, {.repair = false}), repaired = ad3(g);
    broken += plain.score == kForbidden;
    EXPECT_NE(repaired.score, kForbidden);
    EXPECT_GE(repaired.score, plain.score);
    EXPECT_EQ(repaired.bound, plain.bound);
    for (VariableId v = 0; v < 12; ++v) {
      EXPECT_EQ(plain.assignment[v], plain.marginals[v][1] > 0.5 ? 1u : 0u);
    }
  }
  EXPECT_GT(broken, 0) << "plain rounding never broke a budget: the test says nothing";
}

TEST(Ad3, LongStructuredPotentialsAreNotExpanded) {
  const std::size_t n = 200;
  Rng rng(35);
  GraphBuilder b;
  auto x = b.variables("x", n, 2);
  auto y = b.variables("y", 40, 40);
  for (VariableId v : x) b.unary(v, {0, rng.uniform(-1, 1)});
  for (VariableId v : y) {
    std::vector<double> weights(40);
    for (double& w : weights) w = rng.uniform();
    b.unary(v, weights);
  }
  b.factor(x, Count::exactly(30));
  b.factor(x, Parity(false));
  std::vector<double> bumpy(n + 1);  // not concave: by the active set method
  for (double& value : bumpy) value = rng.uniform(0, 0.1);
  b.factor(x, Count(bumpy));
  b.factor(y, AllDifferent{});
  const FactorGraph g = std::move(b).build();
  const Result r = ad3(g);
  EXPECT_LE(r.score, r.bound + 1e-9);
  EXPECT_NE(r.score, kForbidden);
  EXPECT_NEAR(r.score, r.bound, 0.2);
}

TEST(Ad3, ListedStatesWithADefaultAreNotExpanded) {
  // The three best joint states by the unary terms are listed as bad; the fourth wins.
  const std::size_t n = 40;
  GraphBuilder b;
  auto x = b.variables("x", n, 2);
  for (std::size_t i = 0; i < n; ++i)
    b.unary(x[i], {0, i < 2 ? 0.1 * static_cast<double>(i + 1) : 5});
  std::vector<State> rows;
  for (const auto& [first, second] : std::vector<std::pair<State, State>>{{0, 1}, {1, 0}, {1, 1}}) {
    rows.insert(rows.end(), {first, second});
    rows.insert(rows.end(), n - 2, 1);
  }
  b.factor(x, Sparse(std::vector<State>(n, 2), 0.0, rows, {-3, -3, kForbidden}));
  const Result r = ad3(std::move(b).build());
  EXPECT_EQ(r.status, Status::exact);
  EXPECT_NEAR(r.score, 5.0 * (n - 2), 1e-9);
}

TEST(Ad3, TheTimeLimitIsKept) {
  Rng rng(38);
  GraphBuilder b;
  auto x = b.variables("x", 2000, 3);
  for (std::size_t i = 0; i + 1 < 4000; ++i) {
    std::vector<double> values(9);
    for (double& value : values) value = rng.uniform(-1, 1);
    b.factor({x[i % 2000], x[(i % 2000 + 1 + 7 * (i / 2000)) % 2000]}, Table{{3, 3}, values});
  }
  const FactorGraph g = std::move(b).build();
  const Result r = ad3(g, {.iterations = 1000000, .tolerance = 0, .time_limit = 0.1});
  EXPECT_EQ(r.status, Status::time_limit);
  EXPECT_LT(r.seconds, 5);
  expect_sound(g, r);
}

TEST(Ad3, InfeasibleFactorsAreNamed) {
  GraphBuilder b;
  auto x = b.variables("x", 3, 2);
  b.unary(x[0], {kForbidden, 0});
  b.factor({x[0], x[1]}, Table{{2, 2}, {0, 0, 0, 0}});
  b.factor(x, Count::at_most(0));
  const FactorGraph g = std::move(b).build();
  const Result r = ad3(g);
  EXPECT_EQ(r.status, Status::infeasible);
  EXPECT_THAT(r.message, ::testing::HasSubstr("factor 1 (x[0], x[1], x[2])"));
  EXPECT_EQ(r.bound, kForbidden);
  EXPECT_TRUE(r.assignment.empty());

  GraphBuilder c;
  auto y = c.variables("y", 2, 2);
  c.unary(y[1], {kForbidden, kForbidden});
  EXPECT_THAT(ad3(std::move(c).build()).message, ::testing::HasSubstr("y[1]"));

  GraphBuilder d;
  auto z = d.variables("z", 3, 2);
  d.factor(z, AllDifferent{});
  const Result pigeons = ad3(std::move(d).build());
  EXPECT_EQ(pigeons.status, Status::infeasible);
  EXPECT_THAT(pigeons.message, ::testing::HasSubstr("factor 0"));
}

TEST(Ad3, GraphsWithoutFactorsOrVariables) {
  EXPECT_EQ(ad3(FactorGraph()).status, Status::exact);
  GraphBuilder b;
  b.unary(b.variable("a", 3), {0.1, 0.7, 0.3});
  b.unary(b.variable("b", 2), {0.1, kForbidden});
  b.constant(2);
  const Result r = ad3(std::move(b).build());
  EXPECT_EQ(r.status, Status::exact);
  EXPECT_EQ(r.assignment, (std::vector<State>{1, 0}));
  EXPECT_NEAR(r.score, 2.8, 1e-12);
  EXPECT_NEAR(r.bound, 2.8, 1e-12);
}

TEST(Ad3, SameSeedSameAnswer) {
  Rng rng(36);
  for (int i = 0; i < 30; ++i) {
    const FactorGraph g = random_graph(rng, {.max_variables = 10, .max_factors = 14});
    const Result one = ad3(g, {.seed = 5}), two = ad3(g, {.seed = 5});
    EXPECT_EQ(one.assignment, two.assignment);
    EXPECT_EQ(one.bound, two.bound);
    EXPECT_EQ(one.residuals, two.residuals);
  }
}

TEST(Ad3, LargePotentialsDoNotUpsetIt) {
  Rng rng(37);
  for (int i = 0; i < 50; ++i) {
    GraphBuilder b;
    auto x = b.variables("x", 8, 2);
    for (VariableId v : x) b.unary(v, {0, rng.uniform(-1e4, 1e4)});
    for (std::size_t j = 0; j + 1 < 8; ++j) {
      b.factor({x[j], x[j + 1]}, Table{{2, 2}, {0, rng.uniform(-1e4, 1e4), 0, 1e4}});
    }
    const FactorGraph g = std::move(b).build();
    const Result r = ad3(g, {.iterations = 5000});
    expect_sound(g, r);
    EXPECT_NEAR(r.bound, exact_map(g).score, 1e-3);
  }
}

TEST(Ad3, OptionsAreChecked) {
  const FactorGraph g;
  expect_error(ErrorCode::usage, "tolerance", [&] { ad3(g, {.tolerance = -1}); });
  expect_error(ErrorCode::usage, "step", [&] { ad3(g, {.step = 0}); });
  expect_error(ErrorCode::usage, "time limit", [&] { ad3(g, {.time_limit = 0}); });
  expect_error(ErrorCode::usage, "gap", [&] { ad3(g, {.gap = -1}); });
}

}  // namespace
}  // namespace fgnn
