// Training by products of numbers rounded to bfloat16.
#include <gtest/gtest.h>

#include "fgnn/core/error.h"
#include "tests/reference/scratch.h"
#include "tests/train/runs.h"

namespace fgnn::train {
namespace {

using synthetic::SyntheticTask;
using testing::bytes;
using testing::Scratch;
using testing::short_chains;
using testing::small_network;
using testing::trained;

const char* const kNetwork = "2*FGNN(32) - Out(2)";

TrainOptions some_options(const char* products) {
  TrainOptions o;
  o.steps = 60;
  o.batch = 32;
  o.interval = 30;
  o.validation = 50;
  o.rate = 5e-3;
  o.threads = 1;
  o.products = products;
  return o;
}

TEST(Products, RoundedOnesLearnAsFullOnesDo) {
  const SyntheticTask task(short_chains());
  const auto full = trained(task, small_network(kNetwork), some_options("float"));
  const auto rounded = trained(task, small_network(kNetwork), some_options("bf16"));
  EXPECT_NE(rounded.weights(), full.weights());
  EXPECT_LT(rounded.report.last_loss, 0.8 * rounded.report.first_loss);
  EXPECT_NEAR(rounded.report.last_loss, full.report.last_loss, 0.03);
}

TEST(Products, RoundedOnesGiveTheSameBitsOnAnyThreads) {
  const SyntheticTask task(short_chains());
  const Scratch scratch;
  for (const int threads : {1, 3}) {
    auto o = some_options("bf16");
    o.threads = threads;
    trained(task, small_network(kNetwork), o, {scratch.path() / std::to_string(threads)});
  }
  EXPECT_TRUE(bytes(scratch.path() / "1" / "model.safetensors") ==
              bytes(scratch.path() / "3" / "model.safetensors"));
}

TEST(Products, OtherOnesAreRefused) {
  auto o = some_options("bf16");
  o.products = "int8";
  EXPECT_THROW(o.validate(), Error);
}

}  // namespace
}  // namespace fgnn::train
