// A run begun by the engine that used LibTorch (tests/train/data) goes on.
#include <gtest/gtest.h>

#include "tests/places.h"
#include "tests/reference/numbers.h"
#include "tests/reference/scratch.h"
#include "tests/train/runs.h"

namespace fgnn::train {
namespace {

namespace fs = std::filesystem;
using testing::checkpoint;
using testing::Scratch;

TrainOptions its_options() {
  TrainOptions o;
  o.steps = 60;
  o.interval = 5;
  o.validation = 10;
  o.batch = 4;
  o.average = 0.9;
  o.warmup = 3;
  o.rate = 0.005;
  o.threads = 2;
  return o;
}

void copy_run(const fs::path& folder) {
  fs::create_directories(folder);
  fs::copy_file(fs::path(FGNN_SOURCE_DIR) / "tests/train/data/early_engine.safetensors",
                folder / "checkpoint.safetensors");
}

TEST(EarlyEngine, ItsCheckpointIsRead) {
  const Scratch scratch;
  copy_run(scratch.path());
  const Checkpoint c = checkpoint(scratch.path());
  EXPECT_EQ(c.step, 4u);
  EXPECT_EQ(c.since_best, 0u);
  EXPECT_EQ(c.plateaus, 0u);
  EXPECT_EQ(c.since_plateau, 0u);
  EXPECT_EQ(c.average.size(), c.first.size());
  EXPECT_TRUE(c.best.empty());
}

TEST(EarlyEngine, ItsRunGoesOnToTheSameLosses) {
  const Scratch scratch;
  copy_run(scratch.path());
  const synthetic::SyntheticTask task(testing::short_chains());
  const auto t = testing::trained(task, testing::small_network("FGNN(4) - Out(2)"), its_options(),
                                  {scratch.path(), Start::resume});
  EXPECT_EQ(t.report.first_step, 4u);
  EXPECT_EQ(t.report.steps, 60u);
  ASSERT_EQ(t.curve.size(), 12u);
  // What the run logged when that engine went on to its end; it was one batch, not parts.
  const auto train = t.of("train_loss"), validation = t.of("validation_loss");
  EXPECT_NEAR(train[0], 0.7005239, 1e-5);  // its sum was half in the checkpoint
  EXPECT_NEAR(train[10], 0.5860326, 1e-3);
  EXPECT_NEAR(train[11], 0.6080230, 1e-3);
  EXPECT_NEAR(validation[0], 0.6758210, 1e-5);
  EXPECT_NEAR(validation[10], 0.6295584, 1e-3);
  EXPECT_NEAR(validation[11], 0.6281714, 1e-3);
}

}  // namespace
}  // namespace fgnn::train
