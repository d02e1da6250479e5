#include "fgnn/train/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/reference/expect_error.h"

namespace fgnn::train {
namespace {

using testing::expect_error;

TrainOptions with(const std::string& json) {
  TrainOptions options;
  options.read(json, "test");
  return options;
}

TEST(TrainOptions, TheRateIncreasesThroughTheWarmup) {
  const auto o = with(R"({"rate": 0.5, "schedule": "constant", "warmup": 4})");
  for (std::uint64_t step = 0; step < 4; ++step) {
    EXPECT_NEAR(o.rate_at(step), 0.5 * static_cast<double>(step + 1) / 5, 1e-15);
  }
  EXPECT_EQ(o.rate_at(4), 0.5);
  EXPECT_EQ(o.rate_at(1000000), 0.5);
  EXPECT_EQ(with(R"({"rate": 0.5, "schedule": "constant", "warmup": 0})").rate_at(0), 0.5);
}

TEST(TrainOptions, CosineGoesToZero) {
  const auto o = with(R"({"rate": 2, "schedule": "cosine", "warmup": 0, "steps": 100})");
  EXPECT_EQ(o.rate_at(0), 2);
  EXPECT_NEAR(o.rate_at(25), 1 + std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(o.rate_at(50), 1, 1e-12);
  EXPECT_NEAR(o.rate_at(100), 0, 1e-12);
  EXPECT_NEAR(o.rate_at(150), 0, 1e-12);
  for (std::uint64_t step = 1; step <= 100; ++step) EXPECT_LT(o.rate_at(step), o.rate_at(step - 1));
}

TEST(TrainOptions, FactorIsPerInterval) {
  const auto o =
      with(R"({"rate": 8, "schedule": "factor", "factor": 0.5, "warmup": 0, "interval": 10})");
  EXPECT_EQ(o.rate_at(0), 8);
  EXPECT_EQ(o.rate_at(9), 8);
  EXPECT_EQ(o.rate_at(10), 4);
  EXPECT_EQ(o.rate_at(39), 1);
}

TEST(TrainOptions, StepIsPerSeveralIntervals) {
  const auto o = with(R"({"rate": 8, "schedule": "step", "factor": 0.5, "every": 3, "floor": 1.5,
                          "warmup": 2, "interval": 10})");
  EXPECT_NEAR(o.rate_at(0), 8. / 3, 1e-15);
  EXPECT_NEAR(o.rate_at(1), 16. / 3, 1e-15);
  EXPECT_EQ(o.rate_at(2), 8);
  EXPECT_EQ(o.rate_at(29), 8);
  EXPECT_EQ(o.rate_at(30), 4);
  EXPECT_EQ(o.rate_at(59), 4);
  EXPECT_EQ(o.rate_at(60), 2);
  EXPECT_EQ(o.rate_at(90), 1.5);  // not 1: the floor
  EXPECT_EQ(o.rate_at(100000), 1.5);
}

TEST(TrainOptions, PlateausAreCountedByTheTrainer) {
  const auto o = with(R"({"rate": 8, "schedule": "plateau", "factor": 0.25, "floor": 0.4,
                          "warmup": 1, "interval": 10})");
  EXPECT_EQ(o.rate_at(0), 4);
  EXPECT_EQ(o.rate_at(1000), 8);
  EXPECT_EQ(o.rate_at(1000, 1), 2);
  EXPECT_EQ(o.rate_at(1000, 2), 0.5);
  EXPECT_EQ(o.rate_at(1000, 3), 0.4);
  for (const char* other : {"constant", "cosine", "factor", "step"}) {
    auto without = o;
    without.schedule = other;
    EXPECT_EQ(without.rate_at(25, 3), without.rate_at(25)) << other;
  }
}

TEST(TrainOptions, TheFloorIsForFactorToo) {
  const auto o = with(R"({"rate": 8, "schedule": "factor", "factor": 0.5, "floor": 3, "warmup": 0,
                          "interval": 10})");
  EXPECT_EQ(o.rate_at(10), 4);
  EXPECT_EQ(o.rate_at(20), 3);
}

TEST(TrainOptions, PartsAreOfAboutEightGraphsAndEnoughForAllProcesses) {
  const auto parts = [](std::uint64_t batch, std::uint64_t processes, std::uint64_t given = 0) {
    TrainOptions o;
    o.batch = batch;
    o.parts = given;
    return o.parts_of(processes, 1000000);
  };
  EXPECT_EQ(parts(64, 1), 8u);
  EXPECT_EQ(parts(65, 1), 9u);
  EXPECT_EQ(parts(1000, 1), 16u);
  EXPECT_EQ(parts(10, 1), 4u);
  EXPECT_EQ(parts(3, 1), 3u);  // of one graph each
  EXPECT_EQ(parts(1, 8), 1u);
  EXPECT_EQ(parts(64, 20), 20u);
  EXPECT_EQ(parts(64, 2, 3), 3u);
  EXPECT_EQ(TrainOptions().parts_of(1, 10000000), 2u);  // whose gradients are large
}

TEST(TrainOptions, DefaultsAreValid) { EXPECT_NO_THROW(TrainOptions().validate()); }

TEST(TrainOptions, ErrorsNameTheOption) {
  const std::pair<const char*, const char*> wrong[] = {{"steps", "0"},
                                                       {"batch", "0"},
                                                       {"interval", "0"},
                                                       {"rate", "0"},
                                                       {"rate", "-1"},
                                                       {"factor", "0"},
                                                       {"factor", "1.5"},
                                                       {"clip", "-1"},
                                                       {"weight_decay", "-0.1"},
                                                       {"average", "-0.1"},
                                                       {"average", "1"},
                                                       {"threads", "-1"},
                                                       {"workers", "0"},
                                                       {"workers", "65"},
                                                       {"checkpoint_seconds", "-1"},
                                                       {"schedule", "\"steps\""},
                                                       {"parts", "65"},
                                                       {"every", "0"},
                                                       {"floor", "-0.1"}};
  for (const auto& [key, value] : wrong) {
    const auto o = with(std::string("{\"") + key + "\": " + value + "}");
    expect_error(ErrorCode::usage, std::string(key) + ": must ", [&] { o.validate(); });
  }
  TrainOptions o;
  for (double* number : {&o.rate, &o.factor, &o.floor, &o.weight_decay, &o.clip, &o.average,
                         &o.checkpoint_seconds}) {
    const double kept = std::exchange(*number, std::numeric_limits<double>::quiet_NaN());
    expect_error(ErrorCode::usage, ": must ", [&] { o.validate(); });
    *number = kept;
  }
}

TEST(TrainOptions, SurviveJson) {
  TrainOptions o;
  o.steps = 123456789012345;
  o.batch = 3;
  o.interval = 7;
  o.validation = 0;
  o.rate = 0.1;
  o.parts = 2;
  o.schedule = "plateau";
  o.factor = 0.123456789;
  o.every = 9;
  o.floor = 1e-5;
  o.warmup = 5;
  o.weight_decay = 1e-300;
  o.clip = 0.25;
  o.average = 0.999;
  o.patience = 4;
  o.seed = std::numeric_limits<std::uint64_t>::max();
  o.threads = 2;
  o.workers = 3;
  o.checkpoint_seconds = 1.5;
  const auto again = with(o.json());
  EXPECT_EQ(again.json(), o.json());
  EXPECT_EQ(again.steps, o.steps);
  EXPECT_EQ(again.parts, 2u);
  EXPECT_EQ(again.factor, o.factor);
  EXPECT_EQ(again.every, 9u);
  EXPECT_EQ(again.floor, o.floor);
  EXPECT_EQ(again.weight_decay, o.weight_decay);
  EXPECT_EQ(again.seed, o.seed);
  EXPECT_EQ(again.workers, 3);
  EXPECT_NE(o.json(), TrainOptions().json());
}

TEST(TrainOptions, AbsentFieldsStayAsTheyAre) {
  auto o = with(R"({"steps": 11, "rate": 0.25})");
  o.read(R"({"batch": 5} // a remark)", "test");
  EXPECT_EQ(o.steps, 11u);
  EXPECT_EQ(o.rate, 0.25);
  EXPECT_EQ(o.batch, 5u);
  EXPECT_EQ(o.schedule, "cosine");
}

TEST(TrainOptions, WholeNumbersMayBeWrittenWithAnExponent) {
  EXPECT_EQ(with(R"({"steps": 1e5})").steps, 100000u);
  EXPECT_EQ(with(R"({"rate": 1})").rate, 1);
}

TEST(TrainOptions, UnknownKeysAreErrorsWithASuggestion) {
  expect_error(ErrorCode::format,
               "my.json: 'batc' is not a setting of training; did you mean 'batch'?", [] {
                 TrainOptions o;
                 o.read(R"({"batc": 5})", "my.json");
               });
}

TEST(TrainOptions, ValuesOfTheWrongKindAreErrorsNotConverted) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"steps": -5})", "test: steps: '-5' is not a whole number from 0 on"},
      {R"({"steps": 1.5})", "test: steps: '1.5' is not a whole number from 0 on"},
      {R"({"steps": "10"})", "test: steps: '\"10\"' is not a whole number"},
      {R"({"steps": true})", "test: steps: 'true' is not a whole number"},
      {R"({"seed": -1})", "test: seed: '-1' is not"},
      {R"({"threads": 5000000000})", "test: threads: '5000000000' is not a whole number"},
      {R"({"workers": 1e300})", "test: workers: '1e+300' is not"},
      {R"({"rate": "fast"})", "test: rate: '\"fast\"' is not a number"},
      {R"({"rate": null})", "test: rate: 'null' is not"},
      {R"({"schedule": 3})", "test: schedule: '3' is not a word"},
      {R"([1])", "test: train is not an object"},
      {R"({"steps": )", "test:1:11: the JSON ends too early"}};
  for (const auto& [json, message] : wrong) {
    expect_error(ErrorCode::format, message, [&] { with(json); });
  }
}

}  // namespace
}  // namespace fgnn::train
