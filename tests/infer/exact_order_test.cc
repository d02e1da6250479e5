#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fgnn/infer/exact/bit_game.h"
#include "fgnn/infer/exact/order.h"
#include "fgnn/infer/exact/reduce.h"

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
  auto sequence = best_order(cycle(30), {.tries = 5, .seed = 3}).sequence;
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
  EXPECT_EQ(best_order(g, {.tries = 6}).log2_largest, 12);
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
  EXPECT_LE(best_order(grid, {}).log2_largest, side + 3);
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
  EXPECT_FALSE(best_order(clique, {.tries = 2}).complete);
}

TEST(Order, SameSeedSameOrder) {
  EXPECT_EQ(best_order(cycle(40), {.tries = 9, .seed = 7}).sequence,
            best_order(cycle(40), {.tries = 9, .seed = 7}).sequence);
}

InteractionGraph random_interactions(Rng& rng, std::uint32_t n, double share, int most_log2) {
  InteractionGraph g(std::vector<double>(n, 1.0));
  for (double& log2 : g.log2_states) log2 = 1 + static_cast<double>(rng.below(most_log2));
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      if (rng.uniform() < share) g.join({i, j});
    }
  }
  g.finish();
  return g;
}

TEST(BitGame, PlaysWhatTheGameOfListsPlays) {
  Rng rng(1);
  for (int i = 0; i < 60; ++i) {
    const auto n = 2 + static_cast<std::uint32_t>(rng.below(90));
    const InteractionGraph g = random_interactions(rng, n, 3.0 / n, 1 + i % 4);
    BitGame bits(g);
    for (const Rule rule : {Rule::min_fill, Rule::weighted_min_fill, Rule::min_weight}) {
      const Order want = play(g, rule, nullptr), got = bits.play(rule, 1, nullptr, {});
      EXPECT_EQ(got.sequence, want.sequence);
      EXPECT_EQ(got.operations, want.operations);
      EXPECT_EQ(got.message_entries, want.message_entries);
      EXPECT_EQ(got.width, want.width);
    }
    for (const Rule rule : {Rule::min_fill, Rule::min_weight, Rule::growing}) {
      const Order order = bits.play(rule, 3, &rng, {.hopeless = 500});
      EXPECT_EQ(bits.follow(order.sequence, {.hopeless = 500}).operations, order.operations);
      std::set<std::uint32_t> all(order.sequence.begin(), order.sequence.end());
      EXPECT_EQ(all.size(), n);
    }
  }
}

TEST(Order, WhatIsReducedFirstMakesTheLargestCliqueNoLarger) {
  Rng rng(2);
  for (int i = 0; i < 150; ++i) {
    const InteractionGraph g = random_interactions(rng, 7, 0.2 + 0.1 * (i % 5), 4);
    BitGame game(g);
    std::vector<std::uint32_t> sequence{0, 1, 2, 3, 4, 5, 6};
    double largest = kHopeless, operations = 1e300;
    do {
      const Order order = game.follow(sequence, {});
      largest = std::min(largest, order.log2_largest);
      operations = std::min(operations, order.operations);
    } while (std::ranges::next_permutation(sequence).found);
    EXPECT_LE(least_largest_clique(g), largest + 1e-9);
    EXPECT_LE(reduce(g).first.log2_largest, largest + 1e-9);
    const Order best = best_order(g, {.tries = 60, .enough_entries = 0});
    EXPECT_GE(best.operations, operations - 1e-6);
    EXPECT_LE(best.operations, 1.5 * operations);
    EXPECT_EQ(best.sequence.size(), 7u);
    EXPECT_NEAR(game.follow(best.sequence, {}).operations, best.operations, 1e-6);
  }
}

TEST(Order, ComponentsAreOrderedApart) {
  InteractionGraph g(std::vector<double>(60, 1.0));
  for (std::uint32_t i = 0; i < 30; ++i) {
    g.join({i, (i + 1) % 30});
    g.join({30 + i, 30 + (i + 1) % 30});
    g.join({30 + i, 30 + (i + 2) % 30});
  }
  g.finish();
  const Order order = best_order(g, {});
  EXPECT_TRUE(order.complete);
  EXPECT_EQ(order.width, 4u);
  EXPECT_EQ(order.operations, 28 * 8 + 4 + 2 + 26 * 32 + 16 + 8 + 4 + 2);
}

TEST(Order, SecondsGoOnWhereWorkWouldEnd) {
  const InteractionGraph g = cycle(60);
  EXPECT_GT(best_order(g, {.tries = 1, .seconds = 0.05}).sequence.size(), 59u);
}

}  // namespace
}  // namespace fgnn::exact
