#include "fgnn/infer/costs/network.h"

#include <gtest/gtest.h>

#include <set>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/potentials/potentials.h"
#include "tests/infer/costs/random_network.h"
#include "tests/reference/expect_error.h"

namespace fgnn::costs {
namespace {

TEST(CostNetwork, CostsAreScoresWithTheOtherSign) {
  Rng rng(1);
  for (int trial = 0; trial < 100; ++trial) {
    const FactorGraph graph = random_loopy_graph(rng);
    const Network network = network_of(graph, as_it_is());
    for_each_joint_state(network, [&](const std::vector<std::uint32_t>& states) {
      const double score = graph.score(network.decode(states));
      if (score == kForbidden) {
        EXPECT_EQ(cost_of(network, states), kInfinity);
      } else {
        EXPECT_NEAR(cost_of(network, states), -score, 1e-9);
      }
    });
  }
}

TEST(CostNetwork, EliminationKeepsTheLeastCostAndFindsItsStates) {
  Rng rng(2);
  int eliminated = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const FactorGraph graph = random_loopy_graph(rng);
    const Network network = network_of(graph);
    double least = kInfinity;
    std::vector<State> best;
    for_each_joint_state(network, [&](const std::vector<std::uint32_t>& states) {
      if (cost_of(network, states) < least) {
        least = cost_of(network, states);
        best = network.decode(states);
      }
    });
    for (Id v = 0; v < network.size(); ++v) eliminated += network.unary(v).empty();
    EXPECT_NEAR(-least, enumerate_map(graph).score, 1e-9);
    EXPECT_NEAR(graph.score(best), -least, 1e-9);
  }
  EXPECT_GT(eliminated, 300);
}

TEST(CostNetwork, NoCostIsBelowZeroAndNoScopeIsPartOfAnother) {
  Rng rng(3);
  for (int trial = 0; trial < 100; ++trial) {
    const Network network = network_of(random_loopy_graph(rng), as_it_is());
    std::set<std::vector<Id>> scopes;
    for (const Function& f : network.functions()) {
      EXPECT_TRUE(scopes.insert(f.scope).second);
      EXPECT_TRUE(std::ranges::is_sorted(f.scope));
      EXPECT_EQ(*std::ranges::min_element(f.values), 0);
      for (const Function& g : network.functions()) {
        if (&f != &g) {
          EXPECT_FALSE(std::ranges::includes(f.scope, g.scope));
        }
      }
    }
  }
}

TEST(CostNetwork, AnAssignmentOfTheGraphIsEncodedAndDecoded) {
  Rng rng(4);
  for (int trial = 0; trial < 100; ++trial) {
    const FactorGraph graph = random_loopy_graph(rng);
    const Network network = network_of(graph);
    const auto best = enumerate_map(graph).assignment;
    std::vector<std::uint32_t> states;
    ASSERT_TRUE(network.encode(best, states));
    EXPECT_NEAR(graph.score(network.decode(states)), graph.score(best), 1e-9);
  }
}

TEST(CostNetwork, ALargeTableIsRefusedByName) {
  GraphBuilder b;
  const auto x = b.variables("x", 30, 2);
  b.factor(x, Count::at_most(3));
  const FactorGraph graph = std::move(b).build();
  testing::expect_error(ErrorCode::unsupported, "too many entries", [&] { network_of(graph); });
}

}  // namespace
}  // namespace fgnn::costs
