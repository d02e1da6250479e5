// Training from a network that was compiled from an algorithm.
#include <gtest/gtest.h>

#include "fgnn/experiments/ldpc/task.h"
#include "fgnn/neuralize/family.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"
#include "tests/train/runs.h"

namespace fgnn::train {
namespace {

namespace fs = std::filesystem;
using ldpc::LdpcTask;
using network::Model;
using synthetic::SyntheticTask;
using tasks::Stream;
using testing::checkpoint;
using testing::expect_error;
using testing::expect_same_runs;
using testing::few_steps;
using testing::metrics;
using testing::Scratch;
using testing::short_chains;
using testing::train_and_die;
using testing::trained;

neuralize::FamilyOptions plain(std::size_t iterations = 4) {
  neuralize::FamilyOptions o;
  o.compile.iterations = iterations;
  o.compile.damping = 0.25;
  o.floor = 1e-7;
  return o;
}

neuralize::FamilyOptions with_room(std::size_t iterations = 4, bool potentials = false) {
  auto o = plain(iterations);
  o.compile.latents = 4;
  o.compile.channels = 3;
  o.compile.untied = true;
  o.compile.train_potentials = potentials;
  return o;
}

const SyntheticTask& d3() {
  static const SyntheticTask task{synthetic::SyntheticOptions{}};
  return task;
}
const LdpcTask& ldpc() {
  static const LdpcTask task({});
  return task;
}

class StepZero : public ::testing::TestWithParam<const tasks::Task*> {};

TEST_P(StepZero, IsTheAccuracyOfTheAlgorithm) {
  const tasks::Task& task = *GetParam();
  const auto measured = [&](const neuralize::FamilyOptions& o) {
    return tasks::evaluate(neuralize::compile_family(task.schema(), o), task, Stream::validation,
                           30, 7, 1);
  };
  const auto classical = measured(plain());
  EXPECT_GT(classical.accuracy(), 0.5);
  EXPECT_LT(classical.accuracy(), 1);
  const auto warm = measured(with_room());
  EXPECT_EQ(warm.correct, classical.correct);
  EXPECT_EQ(warm.solved, classical.solved);
  EXPECT_NEAR(warm.mean_loss(), classical.mean_loss(), 1e-6 * (1 + classical.mean_loss()));

  auto o = few_steps(1);
  o.validation = 30;
  const auto t = trained(task, neuralize::compile_family(task.schema(), with_room()), o);
  ASSERT_EQ(t.curve.size(), 2u);
  EXPECT_EQ(t.curve[0].at("step"), 0);
  EXPECT_EQ(t.curve[0].at("validation_accuracy"), classical.accuracy());
  EXPECT_EQ(t.curve[0].at("validation_solved"), classical.solved_share());
  EXPECT_NEAR(t.curve[0].at("validation_loss"), classical.mean_loss(),
              1e-6 * (1 + classical.mean_loss()));
  EXPECT_FALSE(t.curve[0].contains("train_loss"));  // there was none yet
  EXPECT_EQ(t.curve[1].at("step"), 1);
  EXPECT_GE(t.report.validation.accuracy(), classical.accuracy());  // the best is kept
}

INSTANTIATE_TEST_SUITE_P(Tasks, StepZero, ::testing::Values(&d3(), &ldpc()),
                         [](const auto& test) { return test.param->name(); });

bool is_potential(const std::string& name) {
  for (const char* part :
       {".up", ".down", ".lambda.weight", ".lambda.bias", ".potential.weight", ".potential.bias"}) {
    if (name.ends_with(part)) return true;
  }
  return false;
}

// Floats, as training has them.
std::vector<float> floats(const std::vector<double>& x) { return {x.begin(), x.end()}; }

TEST(WarmStart, FixedPotentialsStayBitForBitAndTheRestIsTrained) {
  const SyntheticTask chains(short_chains());
  for (const tasks::Task* task :
       {static_cast<const tasks::Task*>(&chains), static_cast<const tasks::Task*>(&ldpc())}) {
    for (const int threads : {1, 2}) {
      const Scratch scratch;
      const Model from = neuralize::compile_family(task->schema(), with_room(2));
      trained(*task, from, few_steps(8, threads), {scratch.path()});
      const Model after = checkpoint(scratch.path()).model;
      int fixed = 0, changed = 0;
      for (std::size_t i = 0; i < from.weights.size(); ++i) {
        const auto& p = from.program.parameters[i];
        const bool same = floats(after.weights[i]) == floats(from.weights[i]);
        EXPECT_EQ(p.trained, !is_potential(p.name)) << p.name;
        EXPECT_FALSE(is_potential(p.name) && !same) << p.name;
        fixed += is_potential(p.name);
        changed += !same;
        EXPECT_FALSE(p.name.ends_with(".blend.weight") && same) << p.name;
      }
      EXPECT_GE(fixed, 4);
      EXPECT_GE(changed, 4);
    }
  }
}

TEST(WarmStart, PotentialsAreTrainedWhenAsked) {
  const Scratch scratch;
  const Model from = neuralize::compile_family(ldpc().schema(), with_room(2, true));
  auto o = few_steps(4);
  o.rate = 1e-3;
  trained(ldpc(), from, o, {scratch.path()});
  const Model after = checkpoint(scratch.path()).model;
  int changed = 0;
  for (std::size_t i = 0; i < from.weights.size(); ++i) {
    const auto& name = from.program.parameters[i].name;
    EXPECT_TRUE(from.program.parameters[i].trained) << name;
    changed += is_potential(name) && floats(after.weights[i]) != floats(from.weights[i]);
  }
  EXPECT_GE(changed, 2);
}

TEST(WarmStart, ThreadsDoNotChangeABit) {
  const SyntheticTask task(short_chains());
  const Model from = neuralize::compile_family(task.schema(), with_room());
  const auto one = trained(task, from, few_steps(10, 1)),
             two = trained(task, from, few_steps(10, 2));
  ASSERT_EQ(one.curve.size(), 3u);
  ASSERT_EQ(two.curve.size(), 3u);
  EXPECT_EQ(one.curve[0], two.curve[0]);
  EXPECT_EQ(one.weights(), two.weights());
  for (std::size_t i = 1; i < 3; ++i) {
    for (const char* name : {"train_loss", "validation_loss"}) {
      EXPECT_EQ(one.curve[i].at(name), two.curve[i].at(name)) << name;
    }
  }
}

TEST(WarmStart, TheLossFallsBelowThatOfTheAlgorithm) {
  const SyntheticTask task(short_chains());
  auto o = few_steps(120, 2);
  o.batch = 16;
  o.interval = 40;
  o.validation = 200;
  const auto t = trained(task, neuralize::compile_family(task.schema(), with_room()), o);
  ASSERT_EQ(t.curve.size(), 4u);
  EXPECT_LT(t.curve[3].at("validation_loss"), 0.8 * t.curve[0].at("validation_loss"));
  EXPECT_GT(t.report.validation.accuracy(), t.curve[0].at("validation_accuracy"));
}

// Before the first checkpoint, and after.
TEST(WarmStart, ARunThatWasKilledGoesOnBitForBit) {
  const SyntheticTask task(short_chains());
  const Model from = neuralize::compile_family(task.schema(), with_room());
  const Scratch scratch;
  for (const int threads : {1, 2}) {
    auto o = few_steps(12, threads);
    o.average = 0.9;
    o.checkpoint_seconds = 0;
    const auto name = [&](std::uint64_t steps) {
      return scratch.path() / (std::to_string(threads) + "-" + std::to_string(steps));
    };
    const auto whole = trained(task, from, o, {name(100)});
    ASSERT_EQ(metrics(name(100)).size(), 3u);  // at steps 0, 7 and 12
    EXPECT_EQ(metrics(name(100))[0].at("step"), 0);
    for (const std::uint64_t steps : {0, 3, 7}) {
      const RunFolder folder{name(steps), Start::resume_or_begin};
      train_and_die(task, from, steps * o.batch, o, folder);
      ASSERT_EQ(fs::exists(folder.path / "checkpoint.safetensors"), steps > 0);
      const auto resumed = trained(task, from, o, folder);
      EXPECT_EQ(resumed.report.model.weights, whole.report.model.weights) << steps;
      expect_same_runs(folder.path, name(100));
    }
  }
}

// There is nothing to judge step 0 by, and so nothing to lose patience with.
TEST(WarmStart, WithoutValidationTheFirstStepsAreStillMade) {
  const SyntheticTask task(short_chains());
  auto o = few_steps(5);
  o.validation = 0;
  o.patience = 1;
  const auto t = trained(task, neuralize::compile_family(task.schema(), with_room()), o);
  EXPECT_EQ(t.report.steps, 5u);
}

TEST(WarmStart, TheModelStillSaysWhichAlgorithmItWas) {
  const SyntheticTask task(short_chains());
  const auto t =
      trained(task, neuralize::compile_family(task.schema(), with_room(3)), few_steps(1));
  EXPECT_EQ(t.report.model.metadata.at("algorithm"), "sum-product");
  EXPECT_EQ(t.report.model.metadata.at("iterations"), "3");
  EXPECT_EQ(t.report.model.metadata.at("task"), "synthetic");
  EXPECT_EQ(t.report.model.metadata.at("order"), "3");
}

TEST(WarmStart, GoesOnFromATrainedModelToo) {
  const SyntheticTask task(short_chains());
  const auto first =
      trained(task, neuralize::compile_family(task.schema(), with_room()), few_steps(5));
  const auto second = trained(task, first.report.model, few_steps(5));
  EXPECT_EQ(second.curve[0].at("validation_accuracy"), first.report.validation.accuracy());
  EXPECT_EQ(second.curve[0].at("validation_loss"), first.report.validation.mean_loss());
}

TEST(WarmStart, AModelOfOtherGraphsIsRefusedAndLeavesNothing) {
  const SyntheticTask task(short_chains()), chains(short_chains("D4"));
  const Scratch scratch;
  const RunFolder folder{scratch.path() / "run"};
  const auto refused = [&](const tasks::Task& wanted, const tasks::Task& other) {
    const Model model = neuralize::compile_family(other.schema(), with_room());
    expect_error(ErrorCode::usage,
                 "the network to start from: does not fit the graphs of the task " + wanted.name(),
                 [&] { trained(wanted, model, few_steps(2), folder); });
    EXPECT_FALSE(fs::exists(folder.path));
  };
  refused(task, ldpc());
  refused(task, chains);
  refused(task, d3());  // budgets of another width
  refused(ldpc(), task);
}

}  // namespace
}  // namespace fgnn::train
