// Sampling against enumeration: intervals that hold as often as they say, marginals, seeds,
// threads.
#include "fgnn/infer/gibbs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

TEST(Gibbs, IntervalsHoldAboutAsOftenAsTheySay) {
  int held = 0, inside = 0, closed = 0;
  constexpr int kTrials = 400;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Rng rng(61, trial);
    const FactorGraph graph = testing::random_graph(rng);
    const double log_z = *enumerate_marginals(graph).log_partition;
    GibbsOptions options;
    options.seed = trial;
    options.sweeps = 30;
    options.threads = 1;
    const Result r = gibbs(graph, options);
    EXPECT_LE(r.log_partition_low, log_z + 1e-9) << trial;  // proved
    ASSERT_TRUE(r.log_partition_sampled);
    const auto& sampled = *r.log_partition_sampled;
    held += sampled.low <= log_z + 1e-9 && log_z - 1e-9 <= sampled.high;
    closed += sampled.high < kInfinity;
    inside += r.log_partition && std::abs(*r.log_partition - log_z) < 0.3;
  }
  EXPECT_GT(held, kTrials * 90 / 100);
  EXPECT_GT(closed, kTrials * 90 / 100);
  EXPECT_GT(inside, kTrials * 95 / 100);
}

TEST(Gibbs, MarginalsComeNearTheTruth) {
  double error = 0;
  std::size_t states = 0;
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    Rng rng(62, trial);
    const FactorGraph graph = testing::random_graph(rng);
    const Result want = enumerate_marginals(graph);
    GibbsOptions options;
    options.sweeps = 300;
    options.seed = trial;
    const Result got = gibbs(graph, options);
    for (std::size_t i = 0; i < want.marginals.values().size(); ++i, ++states) {
      error += std::abs(got.marginals.values()[i] - want.marginals.values()[i]);
    }
  }
  EXPECT_LT(error / static_cast<double>(states), 0.01);
}

TEST(Gibbs, TheSameSeedGivesTheSameAnswerOnAnyNumberOfThreads) {
  Rng rng(63);
  const FactorGraph graph = testing::random_graph(rng);
  GibbsOptions options;
  options.sweeps = 20;
  options.threads = 1;
  const Result one = gibbs(graph, options);
  options.threads = 3;
  const Result three = gibbs(graph, options);
  EXPECT_EQ(one.marginals, three.marginals);
  EXPECT_EQ(one.log_partition_sampled, three.log_partition_sampled);
  EXPECT_EQ(one.message, three.message);
  options.seed = 1;
  EXPECT_NE(gibbs(graph, options).marginals, one.marginals);
}

// Two assignments that no single change joins: every chain stays with one of them.
TEST(Gibbs, SaysThatChainsDidNotMix) {
  GraphBuilder b;
  const auto x = b.variables("x", 2, 2);
  b.factor({x[0], x[1]}, Table({2, 2}, {0, kForbidden, kForbidden, 0}));
  const FactorGraph graph = std::move(b).build();
  const Result r = gibbs(graph);
  EXPECT_EQ(r.status, Status::iteration_limit);
  EXPECT_NE(r.message.find("R-hat inf"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("not mixed"), std::string::npos) << r.message;
  // The weights do not mind: they are right on average.
  EXPECT_NEAR(*r.log_partition, std::log(2.0), 0.2);
  EXPECT_NEAR(r.marginals[0][0], 0.5, 0.35);
}

TEST(Gibbs, HasNoEstimateWhereNothingAllowedWasFound) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 2);
  for (std::size_t i = 0; i < 3; ++i) b.factor({x[i], x[(i + 1) % 3]}, Parity(true));
  const Result r = gibbs(std::move(b).build());
  EXPECT_FALSE(r.log_partition);
  EXPECT_EQ(r.log_partition_low, kForbidden);
  EXPECT_EQ(r.log_partition_sampled->low, kForbidden);
  EXPECT_EQ(r.log_partition_sampled->high, kInfinity);
}

}  // namespace
}  // namespace fgnn
