#include "fgnn/infer/costs/tabu.h"

#include <gtest/gtest.h>

#include "fgnn/infer/enumerate.h"
#include "tests/infer/costs/random_network.h"

namespace fgnn::costs {
namespace {

TEST(Tabu, FindsTheOptimumOfSmallNetworksAndNeverWorsens) {
  Rng rng(21);
  int found = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    const FactorGraph graph = random_loopy_graph(rng);
    const Network network = network_of(graph, as_it_is());
    std::vector<std::uint32_t> states;
    for (Id v = 0; v < network.size(); ++v) {
      states.push_back(static_cast<std::uint32_t>(rng.below(network.unary(v).size())));
    }
    const double before = cost_of(network, states);
    const bool better = Tabu(network).run(states, 2000, rng, Deadline());
    const double after = cost_of(network, states);
    if (better) {
      EXPECT_LT(after, before);
    } else {
      EXPECT_EQ(after, before);
    }
    found += std::abs(graph.score(network.decode(states)) - enumerate_map(graph).score) < 1e-9;
  }
  EXPECT_GT(found, kTrials * 95 / 100);
}

TEST(Tabu, TheSameSeedGivesTheSameStates) {
  Rng rng(22);
  const Network network = network_of(random_loopy_graph(rng), as_it_is());
  std::vector<std::uint32_t> first(network.size(), 0), second(network.size(), 0);
  Rng one(7), two(7);
  Tabu(network).run(first, 500, one, Deadline());
  Tabu(network).run(second, 500, two, Deadline());
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace fgnn::costs
