// Mean field against enumeration: a lower bound, never lowered by a pass.
#include "fgnn/infer/mean_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

constexpr double kRounding = 1e-7;

TEST(MeanField, IsALowerBoundAfterAnyNumberOfPasses) {
  std::size_t found = 0;
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    Rng rng(41, trial);
    const FactorGraph graph = testing::random_graph(rng);
    MeanFieldOptions options;
    options.iterations = 1 + rng.below(10);
    options.restarts = 1 + rng.below(3);
    options.seed = trial;
    const Result r = mean_field(graph, options);
    ASSERT_NE(r.status, Status::infeasible) << trial;
    EXPECT_LE(r.log_partition_low, *enumerate_marginals(graph).log_partition + kRounding) << trial;
    found += r.log_partition_low > kForbidden;
    EXPECT_EQ(r.log_partition_low > kForbidden, r.log_partition.has_value());
  }
  EXPECT_GT(found, 1950u);
}

// The bound is what its q says: energy and entropy, by a loop over all joint states.
TEST(MeanField, TheBoundIsEnergyAndEntropyOfTheMarginals) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Rng rng(42, trial);
    const FactorGraph graph = testing::random_graph(rng);
    const Result r = mean_field(graph);
    if (!r.log_partition) continue;
    double want = 0;
    std::vector<State> x(graph.num_variables(), 0);
    do {
      double share = 1;
      for (VariableId v = 0; v < x.size(); ++v) share *= r.marginals[v][x[v]];
      if (share > 0) want += share * (graph.score(x) - std::log(share));
    } while (next_configuration(graph.states(), x));
    EXPECT_NEAR(r.log_partition_low, want, kRounding) << trial;
  }
}

TEST(MeanField, MorePassesAndMoreStartsNeverLowerTheBound) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Rng rng(43, trial);
    const FactorGraph graph = testing::random_graph(rng);
    MeanFieldOptions options;
    options.tolerance = 0;
    double last = kForbidden;
    for (const std::size_t passes : {1, 2, 3, 5, 20}) {
      options.iterations = passes;
      options.restarts = 1;
      const double bound = mean_field(graph, options).log_partition_low;
      EXPECT_GE(bound, last - kRounding) << trial;
      last = bound;
    }
    options.restarts = 5;
    EXPECT_GE(mean_field(graph, options).log_partition_low, last - kRounding) << trial;
  }
}

TEST(MeanField, IsExactWithoutFactors) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 3);
  for (VariableId v : x) b.unary(v, {0.3 * v, -1, kForbidden});
  b.constant(0.7);
  const FactorGraph graph = std::move(b).build();
  const Result want = enumerate_marginals(graph), got = mean_field(graph);
  EXPECT_NEAR(got.log_partition_low, *want.log_partition, 1e-9);
  EXPECT_EQ(got.status, Status::converged);
}

TEST(MeanField, SaysSoWhenThereIsNowhereToStart) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 2);
  for (std::size_t i = 0; i < 3; ++i) b.factor({x[i], x[(i + 1) % 3]}, Parity(true));
  const Result r = mean_field(std::move(b).build());
  EXPECT_EQ(r.log_partition_low, kForbidden);
  EXPECT_FALSE(r.log_partition);
  EXPECT_NE(r.message.find("no allowed assignment was found"), std::string::npos) << r.message;
}

// A count of 60 variables has no table: expectations walk along its count.
TEST(MeanField, TakesLargeCounts) {
  GraphBuilder b;
  const auto x = b.variables("x", 60, 2);
  for (VariableId v : x) b.unary(v, {0, 0.05 * v - 1});
  std::vector<double> by_count;
  for (int k = 0; k <= 60; ++k) by_count.push_back(-0.01 * k * k);
  b.factor(x, Count(by_count));
  const Result r = mean_field(std::move(b).build());
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_GT(r.log_partition_low, 0);
}

}  // namespace
}  // namespace fgnn
