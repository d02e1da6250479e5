#include "fgnn/experiments/synthetic/labelling.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/experiments/registry.h"
#include "fgnn/experiments/synthetic/square.h"
#include "fgnn/experiments/synthetic/task.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::synthetic {
namespace {

using testing::expect_error;
using testing::Scratch;

LabellingOptions small_grids(std::uint64_t count, tasks::Stream stream = tasks::Stream::train) {
  LabellingOptions options;
  options.data.dataset = "D5";
  options.data.side = 4;
  options.data.seed = 9;
  options.stream = stream;
  options.count = count;
  return options;
}

SyntheticOptions of_stream(const LabellingOptions& options) {
  auto data = options.data;
  data.seed = stream_seed(data.seed, options.stream);
  return data;
}

TEST(Labelling, WritesTheExactMapOnceAndGoesOn) {
  const Scratch scratch;
  EXPECT_EQ(label(scratch.path(), small_grids(5)), 5u);
  EXPECT_EQ(label(scratch.path(), small_grids(5)), 0u);
  EXPECT_EQ(label(scratch.path(), small_grids(8)), 3u);
  const auto data = of_stream(small_grids(8));
  const auto lines = read_labels(label_file(scratch.path(), tasks::Stream::train), data);
  ASSERT_EQ(lines.size(), 8u);
  for (std::uint64_t i = 0; i < 8; ++i) {
    const auto instance = synthetic_instance(data, i);
    EXPECT_EQ(lines[i].instance, i);
    EXPECT_TRUE(lines[i].proved);
    EXPECT_EQ(lines[i].assignment, exact_labels(instance));
    EXPECT_NEAR(lines[i].score, instance.graph().score(lines[i].assignment), 1e-9);
  }
}

TEST(Labelling, ALineThatWasCutShortIsFoundAgain) {
  const Scratch scratch;
  label(scratch.path(), small_grids(3));
  const auto file = label_file(scratch.path(), tasks::Stream::train);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 10);
  EXPECT_EQ(label(scratch.path(), small_grids(3)), 1u);
  EXPECT_EQ(read_labels(file, of_stream(small_grids(3))).size(), 3u);
}

TEST(Labelling, BranchAndBoundTakesOverWhereTheFrontierIsTooWide) {
  auto data = small_grids(1).data;
  data.dataset = "D3";
  data.length = 40;
  data.order = 35;
  const auto chain = synthetic_instance(data, 0);
  const LabelLine line = find_label(chain, 5);
  EXPECT_EQ(line.assignment.size(), 40u);
  EXPECT_NEAR(line.score, chain.graph().score(line.assignment), 1e-9);
  EXPECT_GE(line.bound, line.score - 1e-6);
}

TEST(LabelFile, OfOtherInstancesIsRefused) {
  const Scratch scratch;
  label(scratch.path(), small_grids(2));
  auto other = small_grids(2);
  other.data.seed = 10;
  expect_error(ErrorCode::model, "train.jsonl:1: has labels of",
               [&] { label(scratch.path(), other); });
}

TEST(LabelFile, ErrorsNameTheLine) {
  const Scratch scratch;
  const auto file = scratch.path() / "train.jsonl";
  const auto data = of_stream(small_grids(1));
  std::ofstream(file) << "[1]\n";
  expect_error(ErrorCode::format, "train.jsonl:1: does not begin with a JSON object",
               [&] { read_labels(file, data); });
  std::filesystem::remove(file);
  LabelWriter(file, data);
  std::ofstream(file, std::ios::app)
      << R"({"instance":0,"proved":true,"score":1,"bound":1,"seconds":0,"states":"012"})"
      << "\n";
  expect_error(ErrorCode::format, "train.jsonl:2: states: are not 16 zeros and ones",
               [&] { read_labels(file, data); });
}

TEST(LabelledTask, TrainsOnEverySymmetryAndJudgesOnNone) {
  const Scratch scratch;
  label(scratch.path(), small_grids(3));
  label(scratch.path(), small_grids(2, tasks::Stream::validation));
  const auto task = experiments::make_task(
      "synthetic",
      {{"dataset", "D5"}, {"side", "4"}, {"data_seed", "9"}, {"labels", scratch.path().string()}});
  EXPECT_EQ(task->size(tasks::Stream::train), 24u);
  EXPECT_EQ(task->size(tasks::Stream::validation), 2u);
  EXPECT_TRUE(task->has(tasks::Stream::train));
  EXPECT_FALSE(task->has(tasks::Stream::test));
  const auto plain = synthetic_instance(of_stream(small_grids(1)), 1);
  const auto labels = exact_labels(plain);
  EXPECT_EQ(task->instance(tasks::Stream::train, 1).classes,
            std::vector<std::int64_t>(labels.begin(), labels.end()));
  EXPECT_NE(task->instance(tasks::Stream::train, 1).batch.variable,
            task->instance(tasks::Stream::train, 4).batch.variable)
      << "the same instance, mirrored";
}

// It would change nothing, and be saved with the model as if it had.
TEST(LabelledTask, ATemperatureIsRefusedForTraining) {
  const Scratch scratch;
  label(scratch.path(), small_grids(3));
  experiments::Settings settings{{"dataset", "D5"},
                                 {"side", "4"},
                                 {"data_seed", "9"},
                                 {"temperature", "0.5"},
                                 {"labels", scratch.path().string()}};
  const auto task =
      experiments::make_task("synthetic", settings);  // to measure a model that was trained warm
  expect_error(ErrorCode::usage, "temperature: needs the margins of the labels, which files",
               [&] { task->check_training(); });
  settings["temperature"] = "0";
  experiments::make_task("synthetic", settings)->check_training();
  settings = {{"dataset", "D4"}, {"temperature", "0.5"}};
  experiments::make_task("synthetic", settings)->check_training();
}

TEST(LabelledTask, AFolderWithoutLabelsIsRefused) {
  const Scratch scratch;
  expect_error(ErrorCode::io, "holds no labels", [&] {
    experiments::make_task("synthetic", {{"dataset", "D5"}, {"labels", scratch.path().string()}});
  });
}

}  // namespace
}  // namespace fgnn::synthetic
