// Join-graph propagation: exact at full width, belief propagation's fixed point with small
// clusters, and better the larger they are.
#include "fgnn/infer/join_graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

testing::RandomGraphOptions dense() {
  testing::RandomGraphOptions random;
  random.min_variables = 4;
  random.max_variables = 8;
  random.max_factors = 16;
  random.max_arity = 3;
  return random;
}

double error_of(const Result& got, const Result& want) {
  double sum = 0;
  for (std::size_t i = 0; i < want.marginals.values().size(); ++i) {
    sum += std::abs(got.marginals.values()[i] - want.marginals.values()[i]);
  }
  return sum;
}

TEST(JoinGraph, EqualsExactAtFullWidth) {
  for (std::uint64_t trial = 0; trial < 500; ++trial) {
    Rng rng(51, trial);
    const FactorGraph graph = testing::random_graph(rng, dense());
    const Result want = enumerate_marginals(graph);
    JoinGraphOptions options;
    options.ibound = 30;
    const Result got = join_graph(graph, options);
    ASSERT_EQ(got.status, Status::exact) << trial;
    EXPECT_NEAR(*got.log_partition, *want.log_partition, 1e-8) << trial;
    EXPECT_LT(error_of(got, want), 1e-8) << trial;
  }
}

TEST(JoinGraph, IsExactOnTreesOfPairsHoweverSmallTheClusters) {
  testing::RandomGraphOptions random;
  random.tree = true;
  random.max_arity = 2;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Rng rng(52, trial);
    const FactorGraph graph = testing::random_graph(rng, random);
    JoinGraphOptions options;
    options.ibound = 1;
    options.tolerance = 1e-10;
    const Result want = enumerate_marginals(graph), got = join_graph(graph, options);
    EXPECT_NEAR(*got.log_partition, *want.log_partition, 1e-6) << trial;
    EXPECT_LT(error_of(got, want), 1e-6) << trial;
  }
}

// Clusters of one pair each: the fixed points are those of sum-product, and so is ln Z.
TEST(JoinGraph, WithTheSmallestClustersOnPairsItIsBeliefPropagation) {
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    Rng rng(53, trial);
    GraphBuilder b;
    const auto x = b.variables("x", 9, 2);
    const auto pair = [&](VariableId u, VariableId v) {
      b.factor({u, v}, Table({2, 2}, {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1),
                                      rng.uniform(-1, 1)}));
    };
    for (std::size_t i = 0; i < 9; ++i) {
      if (i % 3 < 2) pair(x[i], x[i + 1]);
      if (i < 6) pair(x[i], x[i + 3]);
    }
    const FactorGraph graph = std::move(b).build();
    JoinGraphOptions options;
    options.ibound = 2;
    options.iterations = 2000;
    options.tolerance = 1e-11;
    const Result got = join_graph(graph, options);
    BpOptions bp;
    bp.iterations = 2000;
    bp.tolerance = 1e-11;
    const Result want = sum_product(graph, bp);
    ASSERT_EQ(got.status, Status::converged) << trial;
    ASSERT_EQ(want.status, Status::converged) << trial;
    EXPECT_NEAR(*got.log_partition, *want.log_partition, 1e-7) << trial;
    EXPECT_LT(error_of(got, want), 1e-7) << trial;
  }
}

TEST(JoinGraph, LargerClustersAreMoreExact) {
  double small = 0, large = 0;
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    Rng rng(54, trial);
    const FactorGraph graph = testing::random_graph(rng, dense());
    const Result want = enumerate_marginals(graph);
    JoinGraphOptions options;
    options.ibound = 2;
    small += error_of(join_graph(graph, options), want);
    options.ibound = 5;
    large += error_of(join_graph(graph, options), want);
  }
  EXPECT_LT(large, small / 2);
}

TEST(JoinGraph, RefusesFactorsWithoutAUsableForm) {
  GraphBuilder b;
  b.factor(b.variables("x", 30, 2), LowRank(std::vector<State>(30, 2), {1, -0.25},
                                            std::vector<std::vector<double>>(30, {1, 1, 1, 0.5})));
  const FactorGraph graph = std::move(b).build();
  testing::expect_error(ErrorCode::too_large, "has no form that clusters can use",
                        [&] { join_graph(graph); });
}

}  // namespace
}  // namespace fgnn
