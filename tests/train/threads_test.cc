// The files of a run are the same bytes, whatever the number of threads.
#include <gtest/gtest.h>

#include "tests/reference/scratch.h"
#include "tests/train/runs.h"

namespace fgnn::train {
namespace {

using synthetic::SyntheticTask;
using testing::bytes;
using testing::expect_same_runs;
using testing::Scratch;
using testing::short_chains;
using testing::small_network;
using testing::train_and_die;
using testing::trained;

TrainOptions some_options() {
  TrainOptions o;
  o.steps = 24;
  o.batch = 11;
  o.interval = 8;
  o.validation = 15;
  o.rate = 5e-3;
  o.warmup = 3;
  o.average = 0.9;
  o.threads = 1;
  return o;
}

// The first has as many weights as several threads share out.
const char* const kNetworks[] = {
    "2*FGNN(33) - Out(2)",
    "2*FGNN(16) - Out(2)",
    "FC(16) - Dropout(0.2) - 2*FGNN(16, rank=8, aggregate=sum) - Dropout(0.2, rows=yes) - Out(2)",
    "2*FGNN(8, form=message, aggregate=logsumexp, norm=layer) - Out(2)",
};

TEST(Threads, AWholeTrainingLeavesTheSameBytes) {
  const SyntheticTask task(short_chains());
  for (const char* network : kNetworks) {
    SCOPED_TRACE(network);
    const Scratch scratch;
    auto o = some_options();
    for (const int threads : {1, 2, 3}) {
      o.threads = threads;
      trained(task, small_network(network), o, {scratch.path() / std::to_string(threads)});
    }
    const auto model = [&](const char* threads) {
      return bytes(scratch.path() / threads / "model.safetensors");
    };
    EXPECT_TRUE(model("1") == model("2"));
    EXPECT_TRUE(model("1") == model("3"));
    expect_same_runs(scratch.path() / "1", scratch.path() / "2");
    expect_same_runs(scratch.path() / "1", scratch.path() / "3");
  }
}

TEST(Threads, ARunGoesOnWithAnotherNumberBitForBit) {
  const SyntheticTask task({short_chains(), 30});
  const Scratch scratch;
  const auto network = small_network(kNetworks[2]);
  auto o = some_options();
  trained(task, network, o, {scratch.path() / "whole"});
  o.checkpoint_seconds = 0;
  const RunFolder folder{scratch.path() / "cut", Start::resume_or_begin};
  o.threads = 2;
  train_and_die(task, network, 5 * o.batch, o, folder);
  o.threads = 3;
  train_and_die(task, network, 8 * o.batch, o, folder);
  EXPECT_EQ(testing::checkpoint(folder.path).step, 13u);
  o.threads = 1;
  trained(task, network, o, folder);
  expect_same_runs(folder.path, scratch.path() / "whole");
}

// How a batch is cut decides the rounding, so that a run goes on with its own parts alone.
TEST(Threads, AnotherNumberOfPartsIsAnotherRun) {
  const SyntheticTask task(short_chains());
  auto o = some_options();
  const auto own = trained(task, small_network(), o);
  o.parts = 4;  // what 11 graphs are cut into
  EXPECT_EQ(trained(task, small_network(), o).weights(), own.weights());
  o.parts = 2;
  const auto other = trained(task, small_network(), o);
  EXPECT_NE(other.weights(), own.weights());
  EXPECT_NEAR(other.report.last_loss, own.report.last_loss, 1e-2);
}

}  // namespace
}  // namespace fgnn::train
