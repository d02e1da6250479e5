#include "fgnn/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "fgnn/io/folder_lock.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"
#include "tests/reference/scratch.h"
#include "tests/train/runs.h"

namespace fgnn::train {
namespace {

namespace fs = std::filesystem;
using network::Model;
using synthetic::SyntheticTask;
using tasks::Labelled;
using tasks::Loss;
using tasks::MemoryTask;
using tasks::Stream;
using testing::Altered;
using testing::bytes;
using testing::checkpoint;
using testing::expect_error;
using testing::expect_same_runs;
using testing::few_steps;
using testing::metrics;
using testing::Scratch;
using testing::short_chains;
using testing::small_network;
using testing::Trained;

double largest(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }
double smallest(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }

const char* const kSmall = "2*FGNN(16) - Out(2)";

Trained trained(const tasks::Task& task, const TrainOptions& options, const RunFolder& folder = {},
                const std::string& network = kSmall) {
  return testing::trained(task, small_network(network), options, folder);
}

void train_and_die(const tasks::Task& task, std::uint64_t instances, const TrainOptions& options,
                   const RunFolder& folder, const std::string& network = kSmall) {
  testing::train_and_die(task, small_network(network), instances, options, folder);
}

TEST(Trainer, TheLossFallsAndTheAccuracyRises) {
  const SyntheticTask task(short_chains());
  auto o = few_steps(150);
  o.batch = 16;
  o.interval = 50;
  o.validation = 100;
  const auto t = trained(task, o);
  EXPECT_EQ(t.report.steps, 150u);
  EXPECT_FALSE(t.report.stopped_early);
  EXPECT_GT(t.report.seconds, 0);
  EXPECT_GT(t.report.instances_per_second, 0);
  EXPECT_EQ(t.of("step"), (std::vector<double>{50, 100, 150}));
  EXPECT_LT(t.of("train_loss")[2], 0.7 * t.of("train_loss")[0]);
  EXPECT_LT(t.report.last_loss, 0.7 * t.report.first_loss);
  EXPECT_GT(t.report.validation.accuracy(), 0.85);
  EXPECT_EQ(t.report.validation.accuracy(), largest(t.of("validation_accuracy")));
}

// Asks to stop after so many steps.
struct StopsAfter : Observer {
  explicit StopsAfter(int n) : left(n) {}
  void on_progress(const Progress& p) override {
    if (p.stage == "training" && !p.over && --left == 0) source.request_stop();
  }
  int left;
  StopSource source;
};

TEST(Trainer, StopsWhenItIsAskedAndGoesOnToTheSameBits) {
  const SyntheticTask task(short_chains());
  const testing::Scratch scratch;
  auto o = few_steps(20);
  o.interval = 10;
  trained(task, o, {scratch.path() / "whole"});
  StopsAfter watcher(7);
  o.control = {&watcher, watcher.source.token()};
  const RunFolder folder{scratch.path() / "stopped", Start::resume_or_begin};
  const auto stopped = trained(task, o, folder);
  EXPECT_TRUE(stopped.report.interrupted);
  EXPECT_EQ(stopped.report.steps, 8u);  // asked during the seventh step's report
  EXPECT_EQ(testing::checkpoint(folder.path).step, 8u);
  o.control = {};
  const auto resumed = trained(task, o, folder);
  EXPECT_FALSE(resumed.report.interrupted);
  testing::expect_same_runs(scratch.path() / "whole", folder.path);
}

TEST(Trainer, TheSeedDecidesEverything) {
  for (const std::uint64_t instances : {0, 17}) {
    const SyntheticTask task({short_chains(), instances});
    for (const int threads : {1, 2}) {
      auto o = few_steps(10);
      o.threads = threads;
      const auto a = trained(task, o), b = trained(task, o);
      EXPECT_EQ(a.weights(), b.weights());
      EXPECT_EQ(a.of("train_loss"), b.of("train_loss"));
      o.workers = 3;
      EXPECT_EQ(trained(task, o).weights(), a.weights());
      o.seed = 1;
      EXPECT_NE(trained(task, o).weights(), a.weights());
    }
  }
}

// Parts of a batch on several threads, batch norm over all of them.
TEST(Trainer, ThreadsDoNotChangeABit) {
  const SyntheticTask chains(short_chains());
  const SyntheticTask trees(short_chains("tree"));
  for (const tasks::Task* task :
       {static_cast<const tasks::Task*>(&chains), static_cast<const tasks::Task*>(&trees)}) {
    for (const std::uint64_t batch : {1, 5, 8}) {
      auto o = few_steps(10);
      o.batch = batch;
      o.interval = 1;
      const auto one = trained(*task, o);
      for (const int threads : {2, 3}) {
        o.threads = threads;
        const auto more = trained(*task, o);
        EXPECT_EQ(more.of("train_loss"), one.of("train_loss"));
        EXPECT_EQ(more.of("validation_loss"), one.of("validation_loss"));
        EXPECT_EQ(more.weights(), one.weights());
      }
    }
  }
}

TEST(Trainer, TheFolderHasWhatWasPromised) {
  const Scratch scratch;
  const auto folder = scratch.path() / "deep" / "run";
  const SyntheticTask task(short_chains());
  const auto t = trained(task, few_steps(), {folder});
  for (const char* name :
       {"config.json", "checkpoint.safetensors", "model.safetensors", "metrics.jsonl"}) {
    EXPECT_TRUE(fs::is_regular_file(folder / name)) << name;
  }
  const auto config = nlohmann::json::parse(bytes(folder / "config.json"));
  EXPECT_EQ(config.at("task"), "synthetic");
  EXPECT_EQ(config.at("settings").at("length"), "8");
  EXPECT_EQ(config.at("network").at("network"), "2*FGNN(16) - Out(2)");
  EXPECT_EQ(config.at("train").at("steps"), 20);
  const auto lines = metrics(folder);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].at("step"), 7);
  EXPECT_EQ(lines[2].at("step"), 20);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const char* name :
         {"train_loss", "validation_loss", "validation_accuracy", "validation_solved", "rate"}) {
      EXPECT_EQ(lines[i].at(name).get<double>(), t.curve[i].at(name)) << name;
    }
  }
  const auto saved = network::load_model(folder / "model.safetensors");
  EXPECT_EQ(saved.weights, t.report.model.weights);
  EXPECT_EQ(saved.metadata.at("task"), "synthetic");
  EXPECT_EQ(saved.metadata.at("length"), "8");
  EXPECT_TRUE(saved.metadata.contains("steps"));
  EXPECT_EQ(checkpoint(folder).step, 20u);
}

// Falls to nothing in the middle, when the labels turn.
TEST(Trainer, TheBestModelIsKeptNotTheLast) {
  const Scratch scratch;
  const SyntheticTask chains(short_chains());
  const Altered turning(chains, [](Stream stream, std::uint64_t i, Labelled& l) {
    if (stream != Stream::train || i < 60 * 8) return;
    for (auto& c : l.classes) c = 1 - c;
  });
  auto o = few_steps(120);
  o.batch = 8;
  o.interval = 20;
  o.validation = 50;
  o.schedule = "constant";
  for (const double average : {0.0, 0.8}) {
    o.average = average;
    const auto folder = scratch.path() / std::to_string(average);
    const auto t = trained(turning, o, {folder});
    const auto accuracies = t.of("validation_accuracy");
    EXPECT_LT(accuracies.back(), 0.5);
    EXPECT_EQ(t.report.validation.accuracy(), largest(accuracies));
    const auto saved = network::load_model(folder / "model.safetensors");
    EXPECT_EQ(saved.weights, t.report.model.weights);
    EXPECT_EQ(tasks::evaluate(saved, turning, Stream::validation, 50, 7, 1).accuracy(),
              largest(accuracies));
  }
}

TEST(Trainer, ARunThatWasKilledGoesOnBitForBit) {
  struct Case {
    std::uint64_t instances;
    int threads;
    double average;
    std::string network;
  };
  const std::string dropout = "FC(16) - Dropout(0.2) - FGNN(16) - Dropout(0.2, rows=yes) - Out(2)";
  for (const auto& [instances, threads, average, network] :
       {Case{0, 1, 0, kSmall}, Case{9, 2, 0.9, kSmall}, Case{0, 2, 0, dropout}}) {
    const Scratch scratch;
    const SyntheticTask task({short_chains(), instances});
    auto o = few_steps();
    o.threads = threads;
    o.average = average;
    const auto whole = trained(task, o, {scratch.path() / "whole"}, network);
    o.checkpoint_seconds = 0;
    for (const std::uint64_t steps : {1, 7, 13}) {
      const RunFolder folder{scratch.path() / std::to_string(steps), Start::resume_or_begin};
      train_and_die(task, steps * o.batch, o, folder, network);
      ASSERT_EQ(checkpoint(folder.path).step, steps);
      if (steps == 7) {  // and again
        train_and_die(task, 4 * o.batch, o, folder, network);
        ASSERT_EQ(checkpoint(folder.path).step, 11u);
      }
      const auto resumed = trained(task, o, folder, network);
      EXPECT_EQ(resumed.report.steps, 20u);
      EXPECT_EQ(resumed.report.last_loss, whole.report.last_loss);
      EXPECT_EQ(resumed.weights(), whole.weights());
      expect_same_runs(folder.path, scratch.path() / "whole");
    }
  }
}

// The checkpoint is older than what else is in the folder.
TEST(Trainer, WhatCameAfterTheCheckpointIsDoneAgain) {
  const Scratch scratch;
  const SyntheticTask task(short_chains());
  const auto o = few_steps();
  const RunFolder whole{scratch.path() / "whole"},
      cut{scratch.path() / "cut", Start::resume_or_begin};
  trained(task, o, whole);
  train_and_die(task, 10 * o.batch, o, cut);  // at step 10; the checkpoint is of step 7
  ASSERT_EQ(checkpoint(cut.path).step, 7u);
  std::ofstream(cut.path / "metrics.jsonl", std::ios::app) << "{\"step\":14}\n{\"step\":20,\"tr";
  trained(task, o, cut);
  expect_same_runs(cut.path, whole.path);
}

TEST(Trainer, AFinishedRunStaysAsItIs) {
  const Scratch scratch;
  const SyntheticTask task(short_chains());
  const auto done = trained(task, few_steps(), {scratch.path()});
  const auto model = bytes(scratch.path() / "model.safetensors");
  const auto again = trained(task, few_steps(), {scratch.path(), Start::resume});
  EXPECT_EQ(again.report.steps, 20u);
  EXPECT_TRUE(again.curve.empty());
  EXPECT_EQ(again.weights(), done.weights());
  EXPECT_EQ(again.report.validation.loss, done.report.validation.loss);
  EXPECT_TRUE(bytes(scratch.path() / "model.safetensors") == model);
  EXPECT_EQ(metrics(scratch.path()).size(), 3u);
}

TEST(Trainer, AFolderWithARunIsNotOverwritten) {
  const Scratch scratch;
  const SyntheticTask task(short_chains());
  trained(task, few_steps(), {scratch.path()});
  const auto before = bytes(scratch.path() / "checkpoint.safetensors");
  expect_error(ErrorCode::io,
               scratch.path().string() + ": holds a run already; go on with --resume",
               [&] { trained(task, few_steps(), {scratch.path()}); });
  EXPECT_TRUE(bytes(scratch.path() / "checkpoint.safetensors") == before);
}

TEST(Trainer, AsksTheTaskBeforeAnythingIsWritten) {
  struct Cold : SyntheticTask {
    using SyntheticTask::SyntheticTask;
    void check_training() const override {
      throw Error(ErrorCode::usage, "temperature", "is too low");
    }
  };
  const Scratch scratch;
  const Cold task(short_chains());
  expect_error(ErrorCode::usage, "temperature: is too low",
               [&] { trained(task, few_steps(), {scratch.path() / "run"}); });
  EXPECT_FALSE(fs::exists(scratch.path() / "run"));
}

TEST(Trainer, AFolderWithoutARunIsNotGoneOnWith) {
  const Scratch scratch;
  const SyntheticTask task(short_chains());
  const auto folder = scratch.path() / "run";
  expect_error(ErrorCode::io, folder.string() + ": holds no run to go on with", [&] {
    trained(task, few_steps(), {folder, Start::resume});
  });
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Trainer, AFolderThatAnotherTrainsInIsLeftAlone) {
  const Scratch scratch;
  const SyntheticTask task(short_chains());
  for (const Start start : {Start::begin, Start::resume_or_begin}) {
    const FolderLock other(scratch.path());
    expect_error(ErrorCode::io, scratch.path().string() + ": is in use by another process", [&] {
      trained(task, few_steps(), {scratch.path(), start});
    });
    EXPECT_FALSE(fs::exists(scratch.path() / "config.json"));
  }
  trained(task, few_steps(), {scratch.path()});
}

TEST(Trainer, AFolderThatCannotBeMadeIsAnError) {
  const Scratch scratch;
  const SyntheticTask task(short_chains());
  std::ofstream(scratch.path() / "file") << "x";
  for (const auto& folder : {scratch.path() / "file", scratch.path() / "file" / "run"}) {
    expect_error(ErrorCode::io, folder.string(), [&] { trained(task, few_steps(), {folder}); });
  }
}

TEST(Trainer, OtherOptionsDoNotGoOnWithARun) {
  const Scratch scratch;
  const SyntheticTask task(short_chains());
  trained(task, few_steps(), {scratch.path()});
  const RunFolder folder{scratch.path(), Start::resume};
  const auto refused = [&](const tasks::Task& t, const TrainOptions& o,
                           const std::string& network) {
    expect_error(ErrorCode::usage, "checkpoint.safetensors: was started with other options",
                 [&] { trained(t, o, folder, network); });
  };
  const std::string same = "2*FGNN(16) - Out(2)";
  for (const char* change : {R"({"steps": 21})", R"({"rate": 0.1})", R"({"seed": 5})",
                             R"({"average": 0.5})", R"({"batch": 5})"}) {
    auto o = few_steps();
    o.read(change, "test");
    refused(task, o, same);
  }
  refused(task, few_steps(), "2*FGNN(12) - Out(2)");
  auto other = short_chains();
  other.seed = 1;
  refused(SyntheticTask(other), few_steps(), same);
  refused(SyntheticTask({short_chains(), 100}), few_steps(), same);
  refused(SyntheticTask(short_chains("D2")), few_steps(), same);
  auto o = few_steps();
  o.read(R"({"threads": 2, "workers": 2, "checkpoint_seconds": 1})", "test");  // these may change
  EXPECT_NO_THROW(trained(task, o, folder));
}

TEST(Trainer, ALossThatIsNotFiniteEndsTheRunAndKeepsTheCheckpoint) {
  const SyntheticTask chains(short_chains());
  for (const int threads : {1, 2}) {
    for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
      const Scratch scratch;
      const Altered task(chains, [&](Stream stream, std::uint64_t i, Labelled& l) {
        if (stream == Stream::train && i == 9 * 6 + 2) l.batch.variable[3] = bad;
      });
      auto o = few_steps();
      o.threads = threads;
      o.checkpoint_seconds = 0;
      expect_error(ErrorCode::internal, "training, step 9: the loss is not a finite number",
                   [&] { trained(task, o, {scratch.path()}); });
      const auto kept = checkpoint(scratch.path());
      EXPECT_EQ(kept.step, 9u);
      for (const auto& w : kept.model.weights) {
        for (const double x : w) EXPECT_TRUE(std::isfinite(x));
      }
      EXPECT_NO_THROW(network::load_model(scratch.path() / "model.safetensors"));
    }
  }
}

// Large features that cancel in the output: (1e18)^2 is a float, 1e18 * 1e21 is none.
TEST(Trainer, AGradientThatIsNotFiniteEndsTheRun) {
  auto description = small_network("Out(1)");
  description.schema = {2, {}};
  const Model model(description, 0);
  const auto& w = model.weights[0];
  Labelled graph;
  graph.batch.structure = std::make_shared<network::Structure>(1, std::vector<network::Relation>{});
  const double x = 1e21 * w[1];
  graph.batch.variable = {static_cast<float>(x), static_cast<float>((1e18 - x * w[0]) / w[1])};
  graph.targets = {0};
  const MemoryTask task(description.schema, Loss::l2, {graph});
  auto o = few_steps();
  o.batch = 1;
  expect_error(ErrorCode::internal,
               "training, step 0: the gradient is not a finite number; try a smaller rate",
               [&] { train(task, description, o, {}); });
}

TEST(Trainer, StopsWhenValidationDoesNotImprove) {
  const Scratch scratch;
  const SyntheticTask task(short_chains());
  auto o = few_steps(1000);
  o.rate = 1e-30;  // nothing ever changes
  o.patience = 2;
  const std::string network = "FGNN(8, norm=none) - Out(2)";
  const auto t = trained(task, o, {scratch.path()}, network);
  EXPECT_TRUE(t.report.stopped_early);
  EXPECT_EQ(t.report.steps, 21u);  // one that was the best so far, and two that were no better
  EXPECT_EQ(t.curve.size(), 3u);
  // To go on would be to stop.
  const auto again = trained(task, o, {scratch.path(), Start::resume}, network);
  EXPECT_TRUE(again.report.stopped_early);
  EXPECT_EQ(again.report.steps, 21u);
  EXPECT_EQ(again.weights(), t.weights());
  EXPECT_EQ(metrics(scratch.path()).size(), 3u);
}

TEST(Trainer, WithoutValidationTheTrainingLossDecides) {
  const SyntheticTask chains(short_chains());
  std::vector<Labelled> graphs;
  for (std::uint64_t i = 0; i < 10; ++i) graphs.push_back(chains.instance(Stream::train, i));
  const MemoryTask without(chains.schema(), Loss::cross_entropy, graphs);
  const auto t = trained(without, few_steps());
  EXPECT_FALSE(t.curve[0].contains("validation_loss"));
  EXPECT_EQ(t.report.validation.rows, 0);
  auto o = few_steps();
  o.validation = 0;
  const auto none = trained(chains, o);
  EXPECT_FALSE(none.curve[0].contains("validation_loss"));
  EXPECT_EQ(none.report.validation.rows, 0);
}

TEST(Trainer, WrongTasksAreErrorsOnAnyNumberOfThreads) {
  const SyntheticTask chains(short_chains());
  for (const int threads : {1, 2, 3}) {
    auto o = few_steps();
    o.threads = threads;
    const auto run = [&](Altered::Change change) {
      return [&, change] { trained(Altered(chains, change), o); };
    };
    for (const std::uint64_t index : {12, 17}) {  // in the first part of a batch, and in the last
      expect_error(ErrorCode::usage, "labels: have class 2 where the network knows 2",
                   run([=](Stream, std::uint64_t i, Labelled& l) {
                     if (i == index) l.classes[0] = 2;
                   }));
      expect_error(ErrorCode::usage, "labels: ", run([=](Stream, std::uint64_t i, Labelled& l) {
                     if (i == index) l.classes.clear();
                   }));
      expect_error(ErrorCode::usage, "variable features",
                   run([=](Stream, std::uint64_t i, Labelled& l) {
                     if (i == index) l.batch.variable.pop_back();
                   }));
    }
  }
  const MemoryTask empty(chains.schema(), Loss::cross_entropy, {});
  expect_error(ErrorCode::usage, "memory: has nothing to train on",
               [&] { trained(empty, few_steps()); });
  auto o = few_steps();
  o.batch = 0;
  expect_error(ErrorCode::usage, "batch: must be above 0", [&] { trained(chains, o); });
  expect_error(ErrorCode::format, "column 1", [&] { trained(chains, few_steps(), {}, "FGN(3)"); });
}

// Whole batches among them.
TEST(Trainer, GraphsWithoutLabelsTeachNothing) {
  const SyntheticTask chains(short_chains());
  const Altered sparse(chains, [](Stream, std::uint64_t i, Labelled& l) {
    if (i % 4 != 0) std::ranges::fill(l.classes, -1);
  });
  for (const int threads : {1, 2}) {
    auto o = few_steps(60);
    o.batch = 2;
    o.interval = 20;
    o.threads = threads;
    const auto t = trained(sparse, o);
    EXPECT_EQ(t.report.steps, 60u);
    EXPECT_LT(t.of("validation_loss")[2], t.of("validation_loss")[0]);
  }
}

struct LossCase {
  Loss loss;
  const char* network;
  bool graph;  // one row per graph, not per variable
};

class EveryLoss : public ::testing::TestWithParam<LossCase> {};

TEST_P(EveryLoss, TrainsATinyTask) {
  const auto& [loss, network, of_graph] = GetParam();
  Rng rng(1);
  std::vector<Labelled> graphs;
  for (int i = 0; i < 12; ++i) {
    Labelled g{testing::random_batch(rng), {}, {}};
    const auto& x = g.batch.variable;
    float total = 0;
    for (std::size_t v = 0; v < g.batch.structure->variables(); ++v) {
      const bool larger = x[2 * v] > x[2 * v + 1];
      total += 0.2f * static_cast<float>(x[2 * v]);
      if (of_graph) continue;
      if (loss == Loss::cross_entropy) {
        g.classes.push_back(larger);
      } else if (loss == Loss::binary_cross_entropy) {
        g.targets.insert(g.targets.end(), {larger ? 1.f : 0.f, x[2 * v] > 0 ? 1.f : 0.f});
      } else {
        g.targets.insert(g.targets.end(),
                         {static_cast<float>(x[2 * v] + 1), static_cast<float>(2 * x[2 * v + 1])});
      }
    }
    if (of_graph && loss == Loss::cross_entropy) {
      g.classes = {total > 0};
    } else if (of_graph) {
      g.targets = {loss == Loss::binary_cross_entropy ? (total > 0 ? 1.f : 0.f) : total};
    }
    graphs.push_back(std::move(g));
  }
  const MemoryTask task(testing::pair_and_budget(), loss, graphs, graphs);
  auto o = few_steps(120);
  o.interval = 40;
  o.rate = 1e-2;
  const auto t = trained(task, o, {}, network);
  const bool classes = loss == Loss::cross_entropy || loss == Loss::binary_cross_entropy;
  EXPECT_LT(t.report.validation.mean_loss(), classes ? 0.1 : 0.5 * t.report.first_loss);
  EXPECT_LT(t.of("train_loss")[2], 0.7 * t.of("train_loss")[0]);
  EXPECT_EQ(t.curve[0].contains("validation_accuracy"), classes);
  if (classes) {
    EXPECT_GT(t.report.validation.accuracy(), 0.95);
  } else {
    EXPECT_EQ(t.report.validation.mean_loss(), smallest(t.of("validation_loss")));
  }
  o.steps = o.interval = 5;
  const auto one = trained(task, o, {}, network);
  o.threads = 2;
  const auto two = trained(task, o, {}, network);
  EXPECT_EQ(two.of("train_loss"), one.of("train_loss"));
  EXPECT_EQ(two.of("validation_loss"), one.of("validation_loss"));
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryLoss,
    ::testing::Values(LossCase{Loss::cross_entropy, "2*FGNN(16) - Out(2)", false},
                      LossCase{Loss::cross_entropy, "FGNN(16) - Pool(sum) - FC(16) - Out(2)", true},
                      LossCase{Loss::binary_cross_entropy, "2*FGNN(16) - Out(2)", false},
                      LossCase{Loss::binary_cross_entropy, "FGNN(16) - Pool(sum) - FC(16) - Out(1)",
                               true},
                      LossCase{Loss::l1, "2*FGNN(16) - Out(2)", false},
                      LossCase{Loss::l1, "FGNN(16) - Pool(sum) - FC(16) - Out(1)", true},
                      LossCase{Loss::l2, "2*FGNN(16) - Out(2)", false},
                      LossCase{Loss::l2, "FGNN(16) - Pool(sum) - FC(16) - Out(1)", true}),
    [](const auto& test) {
      std::string text(tasks::name(test.param.loss));
      std::erase(text, '-');
      return text + (test.param.graph ? "OfGraphs" : "OfVariables");
    });

// Parts of one graph and of two.
TEST(Trainer, InstanceNormsKnowNoOtherGraphs) {
  const SyntheticTask task(short_chains());
  auto o = few_steps(10);
  o.batch = 3;
  o.interval = 1;
  const std::string network = "2*FGNN(8, norm=instance) - Out(2)";
  const auto one = trained(task, o, {}, network);
  o.threads = 2;
  const auto two = trained(task, o, {}, network);
  EXPECT_EQ(two.of("train_loss"), one.of("train_loss"));
}

// Some batches have no budgets at all.
TEST(Trainer, GraphsMayLackFactorsOfAType) {
  Rng rng(1);
  std::vector<Labelled> graphs;
  for (int i = 0; i < 8; ++i) {
    Labelled g{testing::random_features(rng, testing::random_structure(rng, 5, 4, i % 2)), {}, {}};
    for (int v = 0; v < 5; ++v) g.classes.push_back(g.batch.variable[2 * v] > 0);
    graphs.push_back(std::move(g));
  }
  const MemoryTask task(testing::pair_and_budget(), Loss::cross_entropy, graphs, graphs);
  auto o = few_steps(60);
  o.batch = 2;
  o.interval = 20;
  const auto one = trained(task, o);
  for (const double loss : one.of("validation_loss")) EXPECT_TRUE(std::isfinite(loss));
  EXPECT_LT(one.of("train_loss")[2], one.of("train_loss")[0]);
  o.threads = 2;
  const auto two = trained(task, o);
  EXPECT_EQ(two.of("train_loss"), one.of("train_loss"));
}

}  // namespace
}  // namespace fgnn::train
