#include "fgnn/experiments/synthetic/square.h"

#include <gtest/gtest.h>

#include <set>

#include "fgnn/experiments/synthetic/task.h"

namespace fgnn::synthetic {
namespace {

SyntheticOptions grid_of(std::size_t side) {
  SyntheticOptions options;
  options.dataset = "D5";
  options.side = side;
  return options;
}

TEST(Square, SymmetriesKeepTheScoreAndDiffer) {
  const auto grid = synthetic_instance(grid_of(5), 1);
  const auto labels = exact_labels(grid);
  const double score = grid.graph().score(labels);
  std::set<std::vector<std::array<double, 2>>> seen;
  for (int s = 0; s < kSquareSymmetries; ++s) {
    auto turned = grid;
    auto states = labels;
    turn(turned, states, 5, s);
    EXPECT_NEAR(turned.graph().score(states), score, 1e-9) << s;
    EXPECT_NEAR(turned.graph().score(exact_labels(turned)), score, 1e-9) << "still the best, " << s;
    seen.insert(turned.unary);
  }
  EXPECT_EQ(seen.size(), 8u);
}

TEST(Square, TurnedGridsShareTheStructure) {
  const SyntheticTask task(grid_of(4));
  const auto grid = synthetic_instance(grid_of(4), 0);
  for (int s = 0; s < kSquareSymmetries; ++s) {
    auto turned = grid;
    std::vector<State> states(16);
    turn(turned, states, 4, s);
    EXPECT_EQ(task.features(turned).structure, task.features(grid).structure) << s;
  }
}

}  // namespace
}  // namespace fgnn::synthetic
