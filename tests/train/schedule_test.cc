// Rates that depend on how validation goes.
#include <gtest/gtest.h>

#include <set>

#include "tests/reference/scratch.h"
#include "tests/train/runs.h"

namespace fgnn::train {
namespace {

using synthetic::SyntheticTask;
using testing::checkpoint;
using testing::expect_same_runs;
using testing::Scratch;
using testing::short_chains;
using testing::small_network;
using testing::train_and_die;
using testing::trained;

TrainOptions plateau(std::uint64_t steps) {
  TrainOptions o;
  o.steps = steps;
  o.batch = 4;
  o.interval = 2;
  o.validation = 10;
  o.warmup = 0;
  o.schedule = "plateau";
  o.factor = 0.5;
  o.every = 1;
  o.threads = 1;
  return o;
}

TEST(Plateau, TheRateFallsWhenValidationIsStuckForLonger) {
  const SyntheticTask task(short_chains());
  auto o = plateau(20);
  const double rate = o.rate = 1e-30;  // nothing ever changes
  o.floor = rate / 4;
  const auto network = small_network("FGNN(8, norm=none) - Out(2)");
  const auto t = trained(task, network, o);
  // The first is the best so far; two without improvement are more than `every`.
  const double half = rate / 2, least = rate / 4;
  EXPECT_EQ(t.of("rate"),
            (std::vector<double>{rate, rate, rate, half, half, least, least, least, least, least}));
  o.every = 3;
  EXPECT_EQ(trained(task, network, o).of("rate"),
            (std::vector<double>{rate, rate, rate, rate, rate, half, half, half, half, least}));
}

TEST(Plateau, ImprovementStartsTheCountAnew) {
  const SyntheticTask task(short_chains());
  auto o = plateau(60);
  o.rate = 0.01;
  const auto t = trained(task, small_network(), o);
  const auto rates = t.of("rate"), accuracies = t.of("validation_accuracy");
  double best = -1, rate = o.rate;
  std::uint64_t stuck = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    EXPECT_EQ(rates[i], rate) << i;
    stuck = accuracies[i] > best ? 0 : stuck + 1;
    best = std::max(best, accuracies[i]);
    if (stuck > o.every) {
      rate *= o.factor;
      stuck = 0;
    }
  }
  EXPECT_GT(std::set(accuracies.begin(), accuracies.end()).size(), 3u);  // it went up and down
  EXPECT_LT(rate, o.rate);
}

TEST(Plateau, ARunThatWasKilledGoesOnBitForBit) {
  const SyntheticTask task(short_chains());
  const Scratch scratch;
  auto o = plateau(40);
  o.rate = 0.01;
  o.average = 0.9;
  const auto network = small_network();
  const auto whole = trained(task, network, o, {scratch.path() / "whole"});
  o.checkpoint_seconds = 0;
  std::set<std::uint64_t> plateaus, since;
  for (const std::uint64_t steps : {3, 11, 12, 13, 14, 30}) {
    const RunFolder folder{scratch.path() / std::to_string(steps), Start::resume_or_begin};
    train_and_die(task, network, steps * o.batch, o, folder);
    const Checkpoint left = checkpoint(folder.path);
    ASSERT_EQ(left.step, steps);
    plateaus.insert(left.plateaus);
    since.insert(left.since_plateau);
    EXPECT_EQ(trained(task, network, o, folder).weights(), whole.weights());
    expect_same_runs(folder.path, scratch.path() / "whole");
  }
  EXPECT_GE(plateaus.size(), 2u);  // they were cut with several counts
  EXPECT_GE(since.size(), 2u);
}

TEST(StepSchedule, TheRateFallsEverySeveralIntervals) {
  const SyntheticTask task(short_chains());
  auto o = plateau(14);
  o.schedule = "step";
  o.every = 2;
  o.rate = 0.008;
  o.floor = 0.003;
  const auto t = trained(task, small_network(), o);
  EXPECT_EQ(t.of("rate"), (std::vector<double>{0.008, 0.008, 0.004, 0.004, 0.003, 0.003, 0.003}));
}

}  // namespace
}  // namespace fgnn::train
