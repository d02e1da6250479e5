#include "fgnn/infer/automatic.h"

#include <gtest/gtest.h>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/methods.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

AutomaticOptions within(double seconds, std::uint64_t bytes) {
  AutomaticOptions options;
  options.time_limit = seconds;
  options.max_bytes = bytes;
  return options;
}

TEST(Automatic, SmallGraphsAreSolvedExactly) {
  Rng rng(71);
  for (int trial = 0; trial < 200; ++trial) {
    const FactorGraph graph = testing::random_graph(rng, {.feasible = trial % 4 != 0});
    const Result map = automatic_map(graph), truth = enumerate_map(graph);
    ASSERT_EQ(map.status, truth.status);
    if (truth.feasible()) {
      EXPECT_NEAR(map.score, truth.score, 1e-6);
    }
    const Result marginals = automatic_marginals(graph);
    ASSERT_EQ(marginals.status, truth.status);
    EXPECT_FALSE(map.tried.empty());
  }
}

// Wide and loopy: elimination does not fit, budgets have no small tables.
FactorGraph wide_graph(Rng& rng, bool budgets) {
  constexpr std::size_t kSide = 30;
  const FactorGraph grid = testing::random_grid(rng, kSide);
  if (!budgets) return grid;
  GraphBuilder b;
  const auto x = b.variables("x", kSide * kSide, 2);
  for (VariableId v : x) b.unary(v, {grid.unary(v).begin(), grid.unary(v).end()});
  for (FactorId c = 0; c < grid.num_factors(); ++c) {
    b.factor({x[grid.scope(c)[0]], x[grid.scope(c)[1]]},
             dynamic_cast<const Table&>(grid.potential(c)));
  }
  for (std::size_t r = 0; r < kSide; ++r) {
    b.factor(x.slice(r * kSide, (r + 1) * kSide), Count::at_most(10));
  }
  return std::move(b).build();
}

TEST(Automatic, WideGraphsGetAnAnswerABoundAndARecordOfWhatWasTried) {
  Rng rng(72);
  for (const bool budgets : {false, true}) {
    const FactorGraph graph = wide_graph(rng, budgets);
    const Result result = automatic_map(graph, within(2, 64 << 20));
    EXPECT_TRUE(result.feasible());
    EXPECT_LT(result.bound, kInfinity);
    EXPECT_GE(result.bound, result.score - 1e-9);
    EXPECT_GE(result.tried.size(), 3u);
    EXPECT_GE(result.score,
              find_method(Query::map, "max-product").solve(graph, {}, {}).score - 1e-9);
    for (std::size_t i = 1; i < result.trace.size(); ++i) {
      EXPECT_GE(result.trace[i].score, result.trace[i - 1].score);
      EXPECT_LE(result.trace[i].bound, result.trace[i - 1].bound);
    }
  }
}

TEST(Automatic, WideGraphsGetMarginalsAndSayThatTheyAreNoProof) {
  Rng rng(73);
  const FactorGraph graph = wide_graph(rng, false);
  const Result result = automatic_marginals(graph, within(2, 64 << 20));
  EXPECT_FALSE(result.marginals.empty());
  EXPECT_NE(result.status, Status::exact);
  EXPECT_FALSE(result.message.empty());
}

TEST(Automatic, SeveralBestAssignmentsComeFromElimination) {
  Rng rng(74);
  const FactorGraph graph = testing::random_graph(rng, {.min_variables = 5});
  AutomaticOptions options;
  options.k = 3;
  EXPECT_EQ(automatic_map(graph, options).solutions, exact_map(graph, {}, {}, 3).solutions);
}

}  // namespace
}  // namespace fgnn
