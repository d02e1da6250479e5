// Tree-reweighted belief propagation: a bound at every moment, exact without cycles.
#include "fgnn/infer/tree_reweighted.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/forests/forests.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

constexpr double kRounding = 1e-6;

testing::RandomGraphOptions dense() {
  testing::RandomGraphOptions random;
  random.min_variables = 3;
  random.max_factors = 14;
  return random;
}

TEST(Forests, HaveNoCyclesAndCoverEveryFactor) {
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    Rng rng(31, trial);
    const FactorGraph graph = testing::random_graph(rng, dense());
    Budget budget("test");
    const Forests forests = cover(graph, trial, budget);
    std::vector<double> share(graph.num_factors(), 0.0);
    for (const Forest& forest : forests.all) {
      // In a forest, variables less joins are trees: every factor of k variables joins k trees.
      std::size_t joins = 0;
      for (const Branch& branch : forest.branches) {
        joins += graph.arity(branch.factor) - 1;
        share[branch.factor] += 1.0 / static_cast<double>(forests.all.size());
        EXPECT_EQ(graph.factor_of(branch.up), branch.factor);
      }
      EXPECT_EQ(graph.num_variables() - joins, forest.roots.size()) << trial;
    }
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      EXPECT_NEAR(forests.share[c], share[c], 1e-12);
      EXPECT_GT(share[c], 0);
    }
  }
}

TEST(TreeReweighted, BoundsHoldAfterAnyNumberOfIterations) {
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    Rng rng(32, trial);
    const FactorGraph graph = testing::random_graph(rng, dense());
    TreeReweightedOptions options;
    options.iterations = rng.below(20);
    options.damping = rng.below(2) ? 0.5 : 0;
    options.seed = trial;
    const Result r = tree_reweighted(graph, options);
    ASSERT_NE(r.status, Status::infeasible) << trial;
    EXPECT_GE(r.log_partition_high, *enumerate_marginals(graph).log_partition - kRounding) << trial;
    EXPECT_LT(r.log_partition_high, kInfinity) << trial;
  }
}

TEST(TreeReweighted, IsExactOnTreesAndKnowsIt) {
  testing::RandomGraphOptions random;
  random.tree = true;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Rng rng(33, trial);
    const FactorGraph graph = testing::random_graph(rng, random);
    const Result want = enumerate_marginals(graph), got = tree_reweighted(graph);
    EXPECT_NEAR(got.log_partition_high, *want.log_partition, 1e-9) << trial;
    EXPECT_EQ(got.log_partition_low, got.log_partition_high) << trial;
    ASSERT_EQ(got.status, Status::converged) << trial;
    for (std::size_t i = 0; i < want.marginals.values().size(); ++i) {
      EXPECT_NEAR(got.marginals.values()[i], want.marginals.values()[i], 1e-6) << trial;
    }
  }
}

// On a ring of four without fields every tree leaves out one pair, each as often as the others, and
// by symmetry no message helps: ln Z of a chain with couplings k / (3/4).
TEST(TreeReweighted, HasTheBoundOfARingInClosedForm) {
  constexpr double kCoupling = 0.6;
  GraphBuilder b;
  const auto x = b.variables("x", 4, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    b.factor({x[i], x[(i + 1) % 4]}, Table({2, 2}, {kCoupling, -kCoupling, -kCoupling, kCoupling}));
  }
  const FactorGraph graph = std::move(b).build();
  const double want = std::log(2) + 3 * std::log(2 * std::cosh(kCoupling / 0.75));
  const Result r = tree_reweighted(graph);
  EXPECT_NEAR(r.log_partition_high, want, 1e-9);
  EXPECT_EQ(r.status, Status::converged);
}

TEST(TreeReweighted, MessagesTightenTheBound) {
  double before = 0, early = 0, late = 0;
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    Rng rng(34, trial);
    testing::RandomGraphOptions random = dense();
    random.kinds = {"table"};
    const FactorGraph graph = testing::random_graph(rng, random);
    TreeReweightedOptions options;
    const auto bound = [&](std::size_t iterations) {
      options.iterations = iterations;
      return tree_reweighted(graph, options).log_partition_high;
    };
    before += bound(0);
    early += bound(2);
    late += bound(200);
  }
  EXPECT_LT(early, before - 50 * 0.5);
  EXPECT_LT(late, early);
}

TEST(TreeReweighted, SeesContradictionsOnTheWay) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 2);
  b.factor({x[0], x[1]}, Parity(true));
  b.factor({x[1], x[2]}, Parity(true));
  b.factor({x[0], x[2]}, Parity(true));
  const FactorGraph graph = std::move(b).build();
  const Result r = tree_reweighted(graph);  // no single factor forbids a state
  EXPECT_EQ(r.log_partition_low, kForbidden);
}

}  // namespace
}  // namespace fgnn
