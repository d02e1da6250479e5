#include "fgnn/train/checkpoint.h"

#include <gtest/gtest.h>

#include <limits>

#include "fgnn/io/safetensors.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"
#include "tests/reference/scratch.h"

namespace fgnn::train {
namespace {

using testing::expect_error;
using testing::normal_numbers;
using testing::Scratch;

Checkpoint some_checkpoint(bool averaged = true, bool has_best = true) {
  Rng rng(1);
  Checkpoint c;
  c.model = testing::random_model("FGNN(8) - Out(2)");
  c.model.metadata = {{"task", "synthetic"}, {"length", "30"}};
  const auto n = static_cast<std::size_t>(c.model.program.flat_offsets().back());
  c.step = 1234567890123;
  c.first = normal_numbers<float>(rng, n);
  c.second = normal_numbers<float>(rng, n);
  if (averaged) c.average = normal_numbers<float>(rng, n);
  if (has_best) {
    for (const auto& w : c.model.weights) {
      for (std::size_t i = 0; i < w.size(); ++i) c.best.push_back(static_cast<float>(rng.normal()));
    }
  }
  c.best_measure = -std::numeric_limits<double>::infinity();
  c.since_best = 3;
  c.plateaus = 4;
  c.since_plateau = 2;
  c.seconds = 0.1;
  c.loss_sum = 1. / 3;
  c.loss_steps = 17;
  c.options = "{\"steps\": 5}";
  return c;
}

TEST(Checkpoint, SurvivesItsFileBitForBit) {
  const Scratch scratch;
  const auto file = scratch.path() / "checkpoint.safetensors";
  for (const bool averaged : {true, false}) {
    for (const bool has_best : {true, false}) {
      const auto c = some_checkpoint(averaged, has_best);
      save_checkpoint(file, c);
      const auto again = load_checkpoint(file);
      EXPECT_EQ(again.model.weights, c.model.weights);
      EXPECT_EQ(again.model.metadata, c.model.metadata);
      EXPECT_EQ(again.model.description.json(), c.model.description.json());
      EXPECT_EQ(again.step, c.step);
      EXPECT_EQ(again.first, c.first);
      EXPECT_EQ(again.second, c.second);
      EXPECT_EQ(again.average, c.average);
      EXPECT_EQ(again.best, c.best);
      EXPECT_EQ(again.best_measure, c.best_measure);
      EXPECT_EQ(again.since_best, c.since_best);
      EXPECT_EQ(again.plateaus, c.plateaus);
      EXPECT_EQ(again.since_plateau, c.since_plateau);
      EXPECT_EQ(again.seconds, c.seconds);
      EXPECT_EQ(again.loss_sum, c.loss_sum);
      EXPECT_EQ(again.loss_steps, c.loss_steps);
      EXPECT_EQ(again.options, c.options);
    }
  }
}

TEST(Checkpoint, IsAModelFile) {
  const Scratch scratch;
  const auto file = scratch.path() / "checkpoint.safetensors";
  const auto c = some_checkpoint();
  save_checkpoint(file, c);
  EXPECT_EQ(network::load_model(file).weights, c.model.weights);
}

TEST(Checkpoint, APlainModelIsRefused) {
  const Scratch scratch;
  const auto file = scratch.path() / "model.safetensors";
  network::save_model(file, some_checkpoint().model);
  expect_error(ErrorCode::format, file.string() + ": is a model, not a checkpoint of a run",
               [&] { load_checkpoint(file); });
}

TEST(Checkpoint, DamageIsRefused) {
  const Scratch scratch;
  const auto file = scratch.path() / "checkpoint.safetensors";
  save_checkpoint(file, some_checkpoint());
  const TensorFile good = read_safetensors(file);
  const auto with = [&](const char* name, const auto& values) {
    TensorFile damaged = good;
    std::erase_if(damaged.tensors, [&](const auto& t) { return t.name == name; });
    damaged.add(name, {static_cast<std::int64_t>(values.size())}, std::span(values));
    return [&file, damaged] {
      write_safetensors(file, damaged);
      load_checkpoint(file);
    };
  };
  const std::string unfit = file.string() + ": holds a checkpoint that does not fit its model";
  using Whole = const std::vector<std::int64_t>;
  expect_error(ErrorCode::format, unfit, with("train.counts", Whole{}));
  expect_error(ErrorCode::format, unfit, with("train.counts", Whole{1}));
  expect_error(ErrorCode::format, unfit, with("train.counts", Whole{1, 2, 3}));
  expect_error(ErrorCode::format, unfit, with("train.counts", Whole{-1, 0}));
  expect_error(ErrorCode::format, unfit, with("train.counts", Whole{1, -1}));
  expect_error(ErrorCode::format, unfit, with("train.counts", Whole{1, 1, -1, 0}));
  expect_error(ErrorCode::format, unfit, with("train.counts", Whole{1, 1, 0, 0, 0}));
  expect_error(ErrorCode::format, unfit, with("train.numbers", std::vector<double>{1, 2, 3}));
  const std::vector<float> few(7);
  for (const char* name : {"train.first", "train.second", "train.average", "train.best"}) {
    expect_error(ErrorCode::format, unfit, with(name, few));
  }
  expect_error(ErrorCode::format, unfit, with("train.first", std::vector<float>{}));
  expect_error(ErrorCode::format, "train.counts", with("train.counts", few));  // not whole numbers
  for (const auto& tensor : good.tensors) {
    TensorFile without = good;
    std::erase_if(without.tensors, [&](const auto& t) { return t.name == tensor.name; });
    write_safetensors(file, without);
    expect_error(ErrorCode::format, tensor.name, [&] { load_checkpoint(file); });
  }
}

TEST(Checkpoint, HalfAFileIsRefused) {
  const Scratch scratch;
  const auto file = scratch.path() / "checkpoint.safetensors";
  save_checkpoint(file, some_checkpoint());
  for (const double share : {0.9, 0.5, 0.01, 0.0}) {
    const auto size = static_cast<double>(std::filesystem::file_size(file));
    std::filesystem::resize_file(file, static_cast<std::uintmax_t>(share * size));
    expect_error(ErrorCode::format, file.string(), [&] { load_checkpoint(file); });
  }
  expect_error(ErrorCode::io, "absent", [&] { load_checkpoint(scratch.path() / "absent"); });
}

}  // namespace
}  // namespace fgnn::train
