#include "fgnn/infer/cost_search.h"

#include <gtest/gtest.h>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/trws.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::random_graph;

FactorGraph harder_graph(Rng& rng, int trial) {
  return random_graph(rng, {.min_variables = 9,
                            .max_variables = 12,
                            .max_states = 4,
                            .max_factors = 60,
                            .max_arity = trial % 2 == 0 ? 2u : 4u,
                            .feasible = trial % 5 != 0});
}

TEST(CostSearch, EqualsEliminationOnFiveHundredGraphsOfAllKinds) {
  Rng rng(51);
  for (int trial = 0; trial < 500; ++trial) {
    SCOPED_TRACE(trial);
    const FactorGraph graph = harder_graph(rng, trial);
    const Result got = cost_search(graph), want = exact_map(graph);
    ASSERT_EQ(got.status, want.status);
    if (want.status == Status::infeasible) continue;
    EXPECT_NEAR(got.score, want.score, 1e-6);
    EXPECT_EQ(graph.score(got.assignment), got.score);
    EXPECT_GE(got.bound, want.score - 1e-9);
    EXPECT_LE(got.bound, got.score + 1e-6);
  }
}

// Pairs and triples of everything with everything, some joint states forbidden.
FactorGraph dense_graph(Rng& rng, std::size_t n, double forbidden) {
  GraphBuilder b;
  const auto x = b.variables("x", n, 3);
  const auto table = [&](std::size_t arity) {
    std::vector<State> shape(arity, 3);
    std::vector<double> values(configurations(shape));
    for (double& value : values) value = rng.uniform() < forbidden ? kForbidden : rng.uniform();
    return Table{shape, values};
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b.factor({x[j], x[i]}, table(2));
    if (i > 1) b.factor({x[rng.below(i - 1)], x[i - 1], x[i]}, table(3));
  }
  return std::move(b).build();
}

TEST(CostSearch, EqualsEliminationWhereItMustSearch) {
  Rng rng(56);
  std::size_t nodes = 0, infeasible = 0;
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const FactorGraph graph = dense_graph(rng, 10, trial % 2 == 0 ? 0.02 : 0.17);
    const Result got = cost_search(graph), want = exact_map(graph);
    ASSERT_EQ(got.status, want.status);
    nodes += got.iterations;
    infeasible += want.status == Status::infeasible;
    if (want.status != Status::infeasible) {
      EXPECT_NEAR(got.score, want.score, 1e-6);
    }
  }
  EXPECT_GT(nodes, 300u);
  EXPECT_GT(infeasible, 3u);
  EXPECT_LT(infeasible, 30u);
}

// A dense spin glass, on which the relaxation says little.
FactorGraph spin_glass(Rng& rng, std::size_t n) {
  GraphBuilder b;
  const auto x = b.variables("x", n, 2);
  for (VariableId v : x) b.unary(v, {0, rng.uniform(-0.1, 0.1)});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double w = rng.uniform(-1, 1);
      b.factor({x[j], x[i]}, Table{{2, 2}, {w, -w, -w, w}});
    }
  }
  return std::move(b).build();
}

TEST(CostSearch, StoppedByNodesItsBoundHoldsAndItsTraceOnlyImproves) {
  Rng rng(52);
  for (const std::size_t n : {12u, 16u, 20u}) {
    const FactorGraph graph = spin_glass(rng, n);
    const double optimum = exact_map(graph).score;
    double last = kInfinity;
    for (const std::uint64_t nodes : {1u, 10u, 100u, 1000u, 1000000u}) {
      const Result result = cost_search(graph, {.nodes = nodes});
      EXPECT_GE(result.bound, optimum - 1e-9);
      EXPECT_LE(result.score, optimum + 1e-9);
      EXPECT_LE(result.bound, last + 1e-9);
      last = result.bound;
      for (std::size_t i = 1; i < result.trace.size(); ++i) {
        EXPECT_GE(result.trace[i].score, result.trace[i - 1].score);
        EXPECT_LE(result.trace[i].bound, result.trace[i - 1].bound);
      }
      if (nodes == 1000000u) {
        EXPECT_EQ(result.status, Status::exact);
      }
    }
  }
}

// Components are searched apart: together they would take the product of their nodes.
TEST(CostSearch, ManyComponentsCostTheSumOfTheirNodes) {
  Rng rng(57);
  constexpr std::size_t kParts = 6, kSize = 12;
  GraphBuilder b;
  double optimum = 0;
  std::size_t nodes = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    const FactorGraph graph = spin_glass(rng, kSize);
    optimum += exact_map(graph).score;
    nodes += cost_search(graph).iterations;
    const auto x = b.variables("x" + std::to_string(part), kSize, 2);
    for (VariableId v = 0; v < kSize; ++v) {
      b.unary(x[v], {graph.unary(v).begin(), graph.unary(v).end()});
    }
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      b.factor({x[graph.scope(c)[0]], x[graph.scope(c)[1]]},
               dynamic_cast<const Table&>(graph.potential(c)));
    }
  }
  const FactorGraph all = std::move(b).build();
  const Result result = cost_search(all);
  EXPECT_EQ(result.status, Status::exact);
  EXPECT_NEAR(result.score, optimum, 1e-6);
  EXPECT_GT(nodes, 20u);
  EXPECT_LE(result.iterations, 3 * nodes);
  const Result stopped = cost_search(all, {.nodes = 10});
  EXPECT_GE(stopped.bound, optimum - 1e-9);
  EXPECT_LE(stopped.score, optimum + 1e-9);
}

TEST(CostSearch, OpenNodesStayWithinTheMemoryGiven) {
  Rng rng(53);
  const FactorGraph graph = spin_glass(rng, 18);
  const double optimum = exact_map(graph).score;
  const Result result = cost_search(graph, {.max_bytes = 16 << 10});
  EXPECT_EQ(result.status, Status::exact);
  EXPECT_NEAR(result.score, optimum, 1e-6);
}

TEST(CostSearch, BeginsWithABetterAnswerOfOthers) {
  Rng rng(54);
  const FactorGraph graph = spin_glass(rng, 14);
  const Result best = exact_map(graph);
  Incumbent shared;
  shared.offer(best.assignment, best.score);
  const Result result = cost_search(graph, {}, {}, &shared);
  EXPECT_EQ(result.status, Status::exact);
  EXPECT_EQ(result.assignment, best.assignment);
}

TEST(CostSearch, WrongOptionsAreRefused) {
  const FactorGraph graph;
  testing::expect_error(ErrorCode::usage, "gap", [&] { cost_search(graph, {.gap = -1}); });
  testing::expect_error(ErrorCode::usage, "nodes", [&] { cost_search(graph, {.nodes = 0}); });
  testing::expect_error(ErrorCode::usage, "tolerance", [&] { trws(graph, {.tolerance = -1}); });
}

TEST(Trws, BoundsHoldAndOnlyFallAndTreesAreSolved) {
  Rng rng(55);
  int proved = 0;
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const bool tree = trial % 3 == 0;
    const FactorGraph graph = random_graph(
        rng, {.min_variables = 3, .max_variables = 10, .max_factors = 14, .tree = tree});
    const double optimum = exact_map(graph).score;
    const Result result = trws(graph);
    EXPECT_GE(result.bound, optimum - 1e-9);
    EXPECT_LE(result.score, optimum + 1e-9);
    for (double gain : result.residuals) EXPECT_GE(gain, -1e-9);
    if (tree) {
      EXPECT_NEAR(result.bound, optimum, 1e-6);
    }
    proved += result.status == Status::exact;
  }
  EXPECT_GT(proved, 200);
}

}  // namespace
}  // namespace fgnn
