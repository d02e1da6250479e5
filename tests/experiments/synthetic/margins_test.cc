#include "fgnn/experiments/synthetic/margins.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/experiments/registry.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "tests/reference/expect_error.h"

namespace fgnn::synthetic {
namespace {

// The best score with the variable held in a state, by enumeration.
double best_with(SyntheticInstance instance, std::size_t v, State state) {
  instance.unary[v][1 - state] = kForbidden;
  return enumerate_map(instance.graph()).score;
}

TEST(Margins, AreDifferencesOfBestScores) {
  for (const char* dataset : {"D1", "D2", "D3", "D4", "tree"}) {
    SyntheticOptions o;
    o.dataset = dataset;
    o.length = 12;
    for (std::uint64_t i = 0; i < 4; ++i) {
      const auto instance = synthetic_instance(o, i);
      if (instance.unary.size() > 16) continue;  // a large tree
      const auto best = exact_labels(instance);
      EXPECT_NEAR(score(instance, best), enumerate_map(instance.graph()).score, 1e-9);
      const auto margin = margins(instance, best);
      ASSERT_EQ(margin.size(), best.size());
      for (std::size_t v = 0; v < best.size(); ++v) {
        EXPECT_NEAR(margin[v],
                    best_with(instance, v, best[v]) - best_with(instance, v, 1 - best[v]), 1e-9)
            << dataset << " " << i << " " << v;
      }
    }
  }
}

// Too wide for a dynamic programme over the last variables.
TEST(Margins, OfLargeTreesAreThoseOfElimination) {
  SyntheticOptions o;
  o.dataset = "tree";
  std::size_t largest = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto instance = synthetic_instance(o, i);
    if (instance.unary.size() <= largest) continue;
    largest = instance.unary.size();
    const auto best = exact_labels(instance);
    const auto margin = margins(instance, best);
    const double optimum = exact_map(instance.graph()).score;
    for (std::size_t v = 0; v < best.size(); ++v) {
      SyntheticInstance held = instance;
      held.unary[v][best[v]] = kForbidden;
      EXPECT_NEAR(margin[v], optimum - exact_map(held.graph()).score, 1e-9) << i << " " << v;
    }
  }
  EXPECT_GT(largest, 40u);
}

TEST(Margins, WhatCannotBeIsInfinitelyFar) {
  SyntheticInstance instance;
  instance.unary = {{0, 1}, {0, 1}};
  instance.budgets = {{{0, 1}, 0}};
  const auto margin = margins(instance, exact_labels(instance));
  EXPECT_EQ(margin, (std::vector<double>{kInfinity, kInfinity}));
}

TEST(Margins, AreWhatATrainingWithTemperatureWants) {
  const auto task =
      experiments::make_task("synthetic", {{"dataset", "D2"}, {"temperature", "0.3"}});
  const auto& synthetic = dynamic_cast<const SyntheticTask&>(*task);
  const auto labelled = task->instance(tasks::Stream::train, 7);
  const std::vector<State> best(labelled.classes.begin(), labelled.classes.end());
  const auto margin = margins(synthetic.numbers(tasks::Stream::train, 7), best);
  ASSERT_EQ(labelled.targets.size(), 2 * best.size());
  for (std::size_t v = 0; v < best.size(); ++v) {
    EXPECT_NEAR(labelled.targets[2 * v + best[v]], 1 / (1 + std::exp(-margin[v] / 0.3)), 1e-6);
    EXPECT_NEAR(labelled.targets[2 * v] + labelled.targets[2 * v + 1], 1, 1e-6);
    EXPECT_GE(labelled.targets[2 * v + best[v]], 0.5f);
  }
  EXPECT_TRUE(task->instance(tasks::Stream::validation, 7).targets.empty());
  testing::expect_error(ErrorCode::usage, "temperature: must be 0 or above", [] {
    experiments::make_task("synthetic", {{"temperature", "-1"}});
  });
}

}  // namespace
}  // namespace fgnn::synthetic
