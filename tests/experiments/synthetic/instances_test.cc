#include "fgnn/experiments/synthetic/instances.h"

#include <gtest/gtest.h>

#include <set>

#include "fgnn/graph/statistics.h"
#include "fgnn/potentials/count.h"
#include "tests/reference/expect_error.h"

namespace fgnn::synthetic {
namespace {

SyntheticOptions dataset(const std::string& name, std::uint64_t seed = 0) {
  SyntheticOptions options;
  options.dataset = name;
  options.seed = seed;
  return options;
}

TEST(Synthetic, SeedAndNumberNameAnInstance) {
  for (const SyntheticInfo& info : synthetic_datasets()) {
    const auto options = dataset(info.name, 7);
    const auto unaries = [&](std::uint64_t i) {
      const FactorGraph graph = synthetic_instance(options, i).graph();
      return std::vector<double>(graph.unaries().begin(), graph.unaries().end());
    };
    EXPECT_EQ(unaries(3), unaries(3)) << info.name;
    EXPECT_NE(unaries(3), unaries(4)) << info.name;
    const FactorGraph other = synthetic_instance(dataset(info.name, 8), 3).graph();
    EXPECT_NE(unaries(3), std::vector<double>(other.unaries().begin(), other.unaries().end()));
  }
}

TEST(Synthetic, TheFirstInstanceIsThisOneEverywhere) {
  const SyntheticInstance chain = synthetic_instance(dataset("D3", 7), 0);
  EXPECT_EQ(chain.unary[0][0], 0.20719430274073036);
  EXPECT_EQ(chain.pairs[0].values[3], 1.0834855349612984);
  EXPECT_EQ(chain.budgets[0].most, 3u);
}

TEST(Synthetic, ChainsHaveThirtyVariablesAndTwentyTwoBudgetsOverNine) {
  for (const std::string name : {"D1", "D2", "D3"}) {
    const SyntheticInstance chain = synthetic_instance(dataset(name), 0);
    ASSERT_EQ(chain.unary.size(), 30u);
    ASSERT_EQ(chain.pairs.size(), 29u);
    ASSERT_EQ(chain.budgets.size(), 22u);
    for (VariableId i = 0; i < 22; ++i) {
      EXPECT_EQ(chain.budgets[i].scope.front(), i);
      EXPECT_EQ(chain.budgets[i].scope.size(), 9u);
    }
    const FactorGraph graph = chain.graph();
    EXPECT_EQ(graph.num_factors(), 51u);
    EXPECT_EQ(graph.scope(29).size(), 9u);
    EXPECT_EQ(graph.scope(50).back(), 29u);
  }
}

TEST(Synthetic, NumbersStayInTheirRanges) {
  std::set<std::size_t> budgets;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const SyntheticInstance d1 = synthetic_instance(dataset("D1"), i);
    const SyntheticInstance d2 = synthetic_instance(dataset("D2"), i);
    const SyntheticInstance d3 = synthetic_instance(dataset("D3"), i);
    for (const auto& pair : d1.pairs) {
      EXPECT_EQ(pair.values, (std::array<double, 4>{0, 0.1, 0.2, 1}));
    }
    for (const auto* chain : {&d2, &d3}) {
      for (const auto& pair : chain->pairs) {
        EXPECT_EQ(pair.values[0] + pair.values[1] + pair.values[2], 0);
        EXPECT_GE(pair.values[3], 0);
        EXPECT_LT(pair.values[3], 2);
      }
      for (const auto& unary : chain->unary) {
        EXPECT_TRUE(unary[0] >= 0 && unary[0] < 1 && unary[1] >= 0 && unary[1] < 1);
      }
    }
    for (const auto& budget : d1.budgets) EXPECT_EQ(budget.most, 5u);
    for (const auto& budget : d2.budgets) EXPECT_EQ(budget.most, 5u);
    for (const auto& budget : d3.budgets) budgets.insert(budget.most);
  }
  EXPECT_EQ(budgets, (std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Synthetic, TheTextsLayoutHasABudgetAtEveryNode) {
  SyntheticOptions options = dataset("D3");
  options.order = 8;
  EXPECT_EQ(synthetic_instance(options, 0).budgets.size(), 23u);
  options.every_node = true;
  const SyntheticInstance chain = synthetic_instance(options, 0);
  ASSERT_EQ(chain.budgets.size(), 30u);
  EXPECT_EQ(chain.budgets[0].scope.front(), 0u);
  EXPECT_EQ(chain.budgets[0].scope.size(), 5u);  // itself and four after it
  EXPECT_EQ(chain.budgets[10].scope.front(), 7u);
  EXPECT_EQ(chain.budgets[10].scope.size(), 8u);
  EXPECT_EQ(chain.budgets[29].scope.front(), 26u);
  EXPECT_EQ(chain.budgets[29].scope.size(), 4u);
}

TEST(Synthetic, TheTextsPairsOfD2AreAllRandom) {
  SyntheticOptions options = dataset("D2");
  options.pairwise_of_text = true;
  for (const auto& pair : synthetic_instance(options, 0).pairs) {
    for (double value : pair.values) EXPECT_TRUE(value > 0 && value < 1);
  }
}

TEST(Synthetic, D4AndTreesHaveNoCyclesAndNoBudgets) {
  for (const std::string name : {"D4", "tree"}) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const SyntheticInstance instance = synthetic_instance(dataset(name), i);
      EXPECT_TRUE(instance.budgets.empty());
      EXPECT_EQ(instance.pairs.size() + 1, instance.unary.size());
      EXPECT_TRUE(statistics(instance.graph()).forest);
    }
  }
}

TEST(Synthetic, TreesAreThreeToSixDeep) {
  std::set<std::size_t> seen;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const SyntheticInstance tree = synthetic_instance(dataset("tree"), i);
    std::vector<std::size_t> depth(tree.unary.size(), 0), children(tree.unary.size(), 0);
    for (const auto& pair : tree.pairs) {
      depth[pair.second] = depth[pair.first] + 1;
      EXPECT_LE(++children[pair.first], 2u);
    }
    seen.insert(*std::max_element(depth.begin(), depth.end()));
  }
  EXPECT_EQ(seen, (std::set<std::size_t>{3, 4, 5, 6}));
}

TEST(Synthetic, D5IsAGridWithABudgetOnEveryWindow) {
  const SyntheticInstance grid = synthetic_instance(dataset("D5"), 0);
  EXPECT_EQ(grid.unary.size(), 144u);
  EXPECT_EQ(grid.pairs.size(), 2u * 12 * 11);
  ASSERT_EQ(grid.budgets.size(), 100u);
  EXPECT_EQ(grid.budgets[0].scope, (std::vector<VariableId>{0, 1, 2, 12, 13, 14, 24, 25, 26}));
  EXPECT_EQ(grid.budgets[99].scope.back(), 143u);
  std::set<std::size_t> most;
  for (const auto& budget : grid.budgets) most.insert(budget.most);
  EXPECT_EQ(most, (std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  for (const auto& pair : grid.pairs) {
    EXPECT_TRUE(pair.second == pair.first + 12 ||
                (pair.second == pair.first + 1 && pair.second % 12 != 0));
  }
}

TEST(Synthetic, WrongOptionsAreRefused) {
  testing::expect_error(ErrorCode::usage, "there is no such synthetic model",
                        [] { synthetic_instance(dataset("D6"), 0); });
  SyntheticOptions options;
  options.length = 5;
  testing::expect_error(ErrorCode::usage, "must not be above the length",
                        [&] { synthetic_instance(options, 0); });
}

}  // namespace
}  // namespace fgnn::synthetic
