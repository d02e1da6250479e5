#include <gtest/gtest.h>

#include <algorithm>

#include "fgnn/infer/exact/order.h"

namespace fgnn::exact {
namespace {

InteractionGraph cycle(std::uint32_t n) {
  InteractionGraph g(std::vector<double>(n, 1.0));
  for (std::uint32_t i = 0; i < n; ++i) g.join({i, (i + 1) % n});
  g.finish();
  return g;
}

TEST(Order, EveryRuleFindsTheWidthOfTreesAndCycles) {
  for (const Rule rule : {Rule::min_fill, Rule::weighted_min_fill, Rule::min_weight}) {
    Rng rng(1);
    EXPECT_EQ(play(cycle(50), rule, &rng).width, 2u);
    EXPECT_EQ(play(cycle(50), rule, nullptr).width, 2u);
    InteractionGraph path(std::vector<double>(50, 1.0));
    for (std::uint32_t i = 0; i + 1 < 50; ++i) path.join({i, i + 1});
    path.finish();
    const Order order = play(path, rule, &rng);
    EXPECT_EQ(order.width, 1u);
    EXPECT_EQ(order.operations, 49 * 4 + 2);
    EXPECT_EQ(order.message_entries, 49 * 2 + 1);
  }
}

TEST(Order, IsAPermutation) {
  auto sequence = best_order(cycle(30), 5, 3).sequence;
  std::sort(sequence.begin(), sequence.end());
  for (std::uint32_t i = 0; i < 30; ++i) EXPECT_EQ(sequence[i], i);
}

TEST(Order, WeightedRulesAvoidJoiningLargeVariables) {
  // A cycle of four, 0 and 2 huge: eliminating 1 or 3 would join those two at a cost of 2^21.
  InteractionGraph g({10, 1, 10, 1});
  for (std::uint32_t i = 0; i < 4; ++i) g.join({i, (i + 1) % 4});
  g.finish();
  EXPECT_EQ(play(g, Rule::weighted_min_fill, nullptr).log2_largest, 12);
  EXPECT_EQ(play(g, Rule::min_weight, nullptr).log2_largest, 12);
  EXPECT_EQ(best_order(g, 6, 0).log2_largest, 12);
}

TEST(Order, SweepsFindTheWidthOfGrids) {
  const std::uint32_t side = 22;
  InteractionGraph grid(std::vector<double>(side * side, 1.0));
  for (std::uint32_t i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) grid.join({i, i + 1});
    if (i + side < side * side) grid.join({i, i + side});
  }
  grid.finish();
  EXPECT_EQ(play(grid, Rule::as_numbered, nullptr).width, side);
  EXPECT_LE(play(grid, Rule::breadth_first, nullptr).width, side + 2);
  EXPECT_LE(best_order(grid, 100, 0).log2_largest, side + 3);
}

TEST(Order, IsGivenUpBeyondItsLimits) {
  EXPECT_FALSE(play(cycle(50), Rule::min_fill, nullptr, {.operations = 10}).complete);
  EXPECT_FALSE(play(cycle(500), Rule::min_fill, nullptr, {.deadline = Deadline(1e-12)}).complete);
}

TEST(Order, HopelessGraphsAreGivenUp) {
  std::vector<std::uint32_t> all(100);
  for (std::uint32_t i = 0; i < 100; ++i) all[i] = i;
  InteractionGraph clique(std::vector<double>(100, 1.0));
  clique.join(all);
  clique.finish();
  EXPECT_FALSE(best_order(clique, 2, 0).complete);
}

TEST(Order, SameSeedSameOrder) {
  EXPECT_EQ(best_order(cycle(40), 9, 7).sequence, best_order(cycle(40), 9, 7).sequence);
}

}  // namespace
}  // namespace fgnn::exact
