#include "fgnn/infer/search.h"

#include <gtest/gtest.h>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/methods.h"
#include "fgnn/infer/search/neighbourhood.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::random_grid;

TEST(NeighbourhoodSearch, SmallGraphsAreSolvedWhole) {
  Rng rng(61);
  for (int trial = 0; trial < 100; ++trial) {
    const FactorGraph graph = testing::random_graph(rng);
    const Result result = neighbourhood_search(graph);
    if (result.assignment.empty()) continue;  // max-product found nothing allowed to begin with
    EXPECT_LE(result.score, exact_map(graph).score + 1e-9);
    if (result.feasible()) {
      EXPECT_EQ(result.status, Status::exact);
    }
  }
}

TEST(NeighbourhoodSearch, IsNeverBelowMaxProductAndNearTheOptimumOfGrids) {
  Rng rng(62);
  for (int trial = 0; trial < 5; ++trial) {
    const FactorGraph graph = random_grid(rng, 14);
    const double start = find_method(Query::map, "max-product").solve(graph, {}, {}).score;
    SearchOptions options;
    options.widest = 10;  // holds something: a grid of 14 needs 2^15
    options.threads = 1;
    const Result result = neighbourhood_search(graph, options);
    const double optimum = exact_map(graph).score;
    EXPECT_GE(result.score, start);
    EXPECT_LE(result.score, optimum + 1e-9);
    EXPECT_GE(result.score, optimum - 0.04 * std::abs(optimum));
    EXPECT_EQ(result.status, Status::converged);
  }
}

TEST(NeighbourhoodSearch, NeighbourhoodsAreAsNarrowAsAsked) {
  Rng rng(63);
  const FactorGraph graph = random_grid(rng, 12);
  const search::Neighbourhoods all(graph, find_domains(graph, true), Deadline());
  for (const double width : {2.0, 5.0, 9.0}) {
    const auto drawn = all.draw(width, rng);
    std::vector<double> unaries(graph.unaries().begin(), graph.unaries().end());
    std::size_t held = 0;
    for (VariableId v = 0; v < graph.num_variables(); ++v) {
      if (!drawn.free[v]) {
        ++held;
        unaries[graph.state_offset(v)] = kForbidden;
      }
    }
    EXPECT_EQ(held, drawn.held);
    EXPECT_LE(exact_cost(graph.with_unaries(unaries), ExactTask::map).log2_largest, width + 1);
  }
}

TEST(NeighbourhoodSearch, TakesUpWhatOthersFindAndTellsThem) {
  Rng rng(64);
  const FactorGraph graph = random_grid(rng, 10);
  const Result best = exact_map(graph);
  Incumbent shared;
  shared.offer(best.assignment, best.score);
  SearchOptions options;
  options.widest = 8;
  const std::vector<State> poor(graph.num_variables(), 0);
  const Result result = neighbourhood_search(graph, options, {}, poor, &shared);
  EXPECT_NEAR(result.score, best.score, 1e-9);
}

TEST(NeighbourhoodSearch, WrongOptionsAreRefused) {
  for (const auto& wrong : {SearchOptions{.narrowest = 0}, SearchOptions{.widest = 1},
                            SearchOptions{.patience = 0}, SearchOptions{.cycles = 0}}) {
    testing::expect_error(ErrorCode::usage, "at least", [&] { neighbourhood_search({}, wrong); });
  }
}

}  // namespace
}  // namespace fgnn
