#include "fgnn/infer/frontier.h"

#include <gtest/gtest.h>

#include "fgnn/core/random.h"
#include "fgnn/experiments/synthetic/instances.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

synthetic::SyntheticOptions dataset(const std::string& name, std::uint64_t seed) {
  synthetic::SyntheticOptions options;
  options.dataset = name;
  options.seed = seed;
  return options;
}

void expect_best(const synthetic::SyntheticInstance& instance, double best) {
  const FrontierMap map = frontier_map(instance);
  EXPECT_NEAR(map.score, best, 1e-9);
  EXPECT_NEAR(instance.graph().score(map.assignment), best, 1e-9);
}

void expect_max_marginals(const synthetic::SyntheticInstance& instance) {
  const auto best = frontier_max_marginals(instance);
  ASSERT_EQ(best.size(), instance.unary.size());
  for (std::size_t v = 0; v < best.size(); ++v) {
    for (State x = 0; x < 2; ++x) {
      synthetic::SyntheticInstance held = instance;
      held.unary[v][1 - x] = kForbidden;
      const auto map = enumerate_map(held.graph());
      if (map.score == kForbidden) {
        EXPECT_EQ(best[v][x], kForbidden);
      } else {
        EXPECT_NEAR(best[v][x], map.score, 1e-9) << v << " in state " << x;
      }
    }
  }
}

TEST(Frontier, FindsTheBestOfAllAssignmentsOfSmallGrids) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    auto options = dataset("D5", 3);
    options.side = 3 + i % 2;
    const auto grid = synthetic::synthetic_instance(options, i);
    expect_best(grid, enumerate_map(grid.graph()).score);
  }
}

TEST(Frontier, AgreesWithEliminationOnChainsAndGrids) {
  for (const std::string name : {"D1", "D2", "D3", "D4"}) {
    const auto chain = synthetic::synthetic_instance(dataset(name, 5), 1);
    expect_best(chain, exact_map(chain.graph()).score);
  }
  auto options = dataset("D5", 5);
  options.side = 6;
  const auto grid = synthetic::synthetic_instance(options, 0);
  expect_best(grid, exact_map(grid.graph()).score);
}

// Scopes in any order, pairs from later to earlier variables, budgets with holes.
TEST(Frontier, TakesScopesInAnyOrder) {
  Rng rng(7);
  for (int trial = 0; trial < 100; ++trial) {
    synthetic::SyntheticInstance instance;
    for (int v = 0; v < 9; ++v) instance.unary.push_back({rng.normal(), rng.normal()});
    for (int p = 0; p < 10; ++p) {
      const auto a = static_cast<VariableId>(rng.below(9));
      const auto b = static_cast<VariableId>((a + 1 + rng.below(8)) % 9);
      instance.pairs.push_back({a, b, {rng.normal(), rng.normal(), rng.normal(), rng.normal()}});
    }
    for (int c = 0; c < 4; ++c) {
      std::vector<VariableId> scope;
      for (VariableId v = 9; v-- > 0;) {
        if (rng.below(2) == 1) scope.push_back(v);
      }
      if (scope.size() > 1) instance.budgets.push_back({scope, rng.below(scope.size())});
    }
    expect_best(instance, enumerate_map(instance.graph()).score);
    expect_max_marginals(instance);
  }
}

TEST(Frontier, KnowsTheBestScoreWithEveryStateOfSmallGrids) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    auto options = dataset("D5", 4);
    options.side = 3 + i % 2;
    expect_max_marginals(synthetic::synthetic_instance(options, i));
  }
}

TEST(Frontier, DropsStatesThatBreakABudget) {
  auto options = dataset("D5", 0);
  options.side = 5;
  const auto grid = synthetic::synthetic_instance(options, 0);
  EXPECT_EQ(reach(grid), 12u);  // two rows and two more
  EXPECT_LT(frontier_map(grid).most_states, std::size_t{1} << 12);
}

TEST(Frontier, RefusesWhatIsTooWideOrTooLarge) {
  auto options = dataset("D5", 0);
  options.side = 20;
  const auto wide = synthetic::synthetic_instance(options, 0);
  testing::expect_error(ErrorCode::too_wide, "reach 42 variables back",
                        [&] { frontier_map(wide); });
  options.side = 5;
  const auto grid = synthetic::synthetic_instance(options, 0);
  testing::expect_error(ErrorCode::too_large, "too many joint states",
                        [&] { frontier_map(grid, 100); });
  testing::expect_error(ErrorCode::too_large, "too many joint states",
                        [&] { frontier_max_marginals(grid, 100); });
}

}  // namespace
}  // namespace fgnn
