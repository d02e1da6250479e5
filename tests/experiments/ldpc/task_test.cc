#include "fgnn/experiments/ldpc/task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "fgnn/experiments/registry.h"
#include "fgnn/network/run.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_code.h"
#include "tests/reference/scratch.h"
#include "tests/reference/task_streams.h"

namespace fgnn::ldpc {
namespace {

using testing::expect_error;

std::vector<std::uint8_t> bits(const tasks::Labelled& l) {
  return {l.classes.begin(), l.classes.end()};
}

TEST(LdpcTask, TheCodeMadeHereHas96BitsAnd48IndependentChecks) {
  const LdpcTask task{LdpcOptions()};
  EXPECT_EQ(task.code().checks.num_columns(), 96u);
  EXPECT_EQ(task.code().checks.num_rows(), 48u);
  EXPECT_EQ(task.code().checks.num_ones(), 3u * 96u);
  EXPECT_EQ(task.code().encoder.rank(), 48u);
  EXPECT_EQ(task.code().encoder.rate(), 0.5);
  EXPECT_EQ(LdpcTask(LdpcOptions()).code().checks, task.code().checks);
}

TEST(LdpcTask, WhatIsWantedIsAWordOfTheCode) {
  const LdpcTask task{LdpcOptions()};
  std::set<std::vector<std::uint8_t>> words;
  for (const auto stream : {tasks::Stream::train, tasks::Stream::validation, tasks::Stream::test}) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const auto labelled = task.instance(stream, i);
      ASSERT_EQ(labelled.classes.size(), 96u);
      EXPECT_TRUE(labelled.targets.empty());
      EXPECT_TRUE(codes::satisfies(task.code().checks, bits(labelled)));
      words.insert(bits(labelled));
    }
  }
  EXPECT_EQ(words.size(), 30u);  // of 2^48
}

TEST(LdpcTask, AnInstanceIsTheSameWhoeverAsks) {
  const LdpcTask task{LdpcOptions()}, other{LdpcOptions()};
  std::array<tasks::Labelled, 4> answers;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < answers.size(); ++t) {
    threads.emplace_back([&, t] {
      const LdpcTask& mine = t % 2 == 0 ? task : other;
      for (std::uint64_t i = 0; i < t; ++i) mine.instance(tasks::Stream::train, i);
      answers[t] = mine.instance(tasks::Stream::train, 11);
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& a : answers) {
    EXPECT_EQ(a.batch.variable, answers[0].batch.variable);
    EXPECT_EQ(a.classes, answers[0].classes);
  }
  EXPECT_EQ(answers[0].batch.structure, answers[2].batch.structure);  // one for all words
}

TEST(LdpcTask, StreamsAndSeedsAndNumbersNameDifferentInstances) {
  LdpcOptions o;
  const LdpcTask task(o);
  o.seed = 1;
  const LdpcTask reseeded(o);
  testing::expect_distinct_instances(task, reseeded);
}

TEST(LdpcTask, TheStructureIsThatOfTheChecks) {
  const LdpcTask task{LdpcOptions()};
  const auto instance = task.instance(tasks::Stream::test, 0);
  const auto& s = *instance.batch.structure;
  EXPECT_EQ(s.variables(), 96u);
  ASSERT_EQ(s.relations().size(), 1u);
  const auto& r = s.relations()[0];
  EXPECT_EQ(r.factors, 48u);
  ASSERT_EQ(r.edges(), 288u);
  std::size_t e = 0;
  for (std::uint32_t c = 0; c < 48; ++c) {
    for (const auto v : task.code().checks.row(c)) {
      EXPECT_EQ(r.factor[e], c);
      EXPECT_EQ(r.variable[e++], v);
    }
  }
  network::Description d;
  d.network = "FGNN(4) - Out(2)";
  d.schema = task.schema();
  const network::Model model(d, 0);
  EXPECT_NO_THROW(network::check_features(model.program, instance.batch));
  EXPECT_EQ(task.loss(), tasks::Loss::cross_entropy);
  EXPECT_EQ(task.size(tasks::Stream::train), 0u);
}

// The third feature is y / sigma / 4, and without bursts y is +-1 + sigma n.
TEST(LdpcTask, SnrsAreTheNumbersOfTheRange) {
  const auto sigmas = [](const char* levels) {
    LdpcOptions o;
    o.snr = levels;
    o.burst = "0";
    o.view.sigma_ratios = true;  // L = 2 y / sigma^2
    const LdpcTask task(o);
    std::set<int> all;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const auto batch = task.instance(tasks::Stream::train, i).batch;
      const double l = batch.variable[1] * 2, y = batch.variable[2] * 4;  // y by sigma
      all.insert(static_cast<int>(std::lround(100 * 20 * std::log10(l / y / 2))));
    }
    return all;
  };
  EXPECT_EQ(sigmas("0:4:1"), (std::set<int>{0, 100, 200, 300, 400}));
  EXPECT_EQ(sigmas("1:2.2:0.5"), (std::set<int>{100, 150, 200}));
  EXPECT_EQ(sigmas("3"), (std::set<int>{300}));
  EXPECT_EQ(sigmas("0:0.3:0.1"), (std::set<int>{0, 10, 20, 30}));  // 0.3 / 0.1 is below 3
}

TEST(LdpcTask, BurstsAreAsStrongAsAsked) {
  const auto largest = [](const char* burst) {
    LdpcOptions o;
    o.burst = burst;
    o.snr = "4";
    const LdpcTask task(o);
    double most = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const auto batch = task.instance(tasks::Stream::train, i).batch;
      for (std::size_t v = 2; v < batch.variable.size(); v += 4) {
        most = std::max(most, std::abs(batch.variable[v]));
      }
    }
    return 4 * most * std::pow(10, -4.0 / 20);  // back to y
  };
  EXPECT_LT(largest("0"), 1 + 6 * 0.631);
  EXPECT_GT(largest("5"), 8);
}

// Where the noise is weak the posterior is sure of what was sent; where it is strong it is right as
// often as it says.
TEST(LdpcTask, PosteriorsAreCalibratedProbabilitiesOfWhatIsWanted) {
  for (const bool flips : {false, true}) {
    LdpcOptions o;
    o.targets = "posterior";
    o.view.flips = flips;
    o.snr = "2";
    o.burst = "0";
    const LdpcTask task(o);
    EXPECT_TRUE(task.instance(tasks::Stream::validation, 0).targets.empty());
    double expected = 0, right = 0, total = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto labelled = task.instance(tasks::Stream::train, i);
      ASSERT_EQ(labelled.targets.size(), 2 * labelled.classes.size());
      for (std::size_t v = 0; v < labelled.classes.size(); ++v) {
        const float zero = labelled.targets[2 * v], one = labelled.targets[2 * v + 1];
        EXPECT_NEAR(zero + one, 1, 1e-5);
        expected += std::max(zero, one);
        right += (one > zero) == (labelled.classes[v] == 1);
        total += 1;
      }
    }
    EXPECT_GT(right / total, 0.98);
    EXPECT_NEAR(expected / total, right / total, 0.01);
  }
}

TEST(LdpcTask, ACodeIsReadFromAFile) {
  const testing::Scratch scratch;
  const auto file = (scratch.path() / "seven.alist").string();
  {
    std::ofstream out(file);
    write_alist(out, testing::hamming());
  }
  const auto task = experiments::make_task("ldpc", {{"code", file}, {"snr", "2"}});
  const auto labelled = task->instance(tasks::Stream::test, 0);
  EXPECT_EQ(labelled.classes.size(), 7u);
  EXPECT_TRUE(codes::satisfies(testing::hamming(), bits(labelled)));
  EXPECT_EQ(dynamic_cast<const LdpcTask&>(*task).code().name, "seven");
  EXPECT_EQ(task->settings().at("code"), file);
}

TEST(LdpcTask, SettingsMakeTheSameTaskAgain) {
  const experiments::Settings settings{
      {"code", ""},        {"snr", "1:3:0.5"},      {"burst", "0:2:1"}, {"llr", "sigma"},
      {"view", "flips"},   {"beliefs", "2+5"},      {"lists", "0+2"},   {"positions", "yes"},
      {"data_seed", "12"}, {"targets", "posterior"}};
  const auto task = experiments::make_task("ldpc", settings),
             again = experiments::make_task("ldpc", task->settings());
  EXPECT_EQ(task->name(), "ldpc");
  EXPECT_EQ(task->settings(), settings);
  EXPECT_EQ(again->settings(), settings);
  EXPECT_EQ(task->instance(tasks::Stream::train, 3).batch.variable,
            again->instance(tasks::Stream::train, 3).batch.variable);
  EXPECT_EQ(experiments::make_task("ldpc", {})->settings(),
            experiments::complete(experiments::find_task("ldpc"), {}));
}

TEST(LdpcTask, ErrorsNameTheSetting) {
  const auto refused = [](const std::string& key, const std::string& value,
                          const std::string& text) {
    expect_error(ErrorCode::usage, text, [&] { experiments::make_task("ldpc", {{key, value}}); });
  };
  for (const std::string key : {"snr", "burst"}) {
    for (const char* text :
         {"",       "x",   "1:x",     "1:2:x",   "1:2:3:4", "1 2",       "1:2:1x",
          ":",      "1:",  "1:2:",    "1::2",    "1e999",   "4:0:1",     "0:4:0",
          "0:4:-1", "nan", "0:inf:1", "0:4:nan", "inf",     "0:4:1e-320"}) {
      refused(key, text, key + ": '");
    }
  }
  refused("burst", "-1:2:1", "burst: is a deviation: at least 0");
  refused("llr", "foo", "llr: 'foo' is not a kind of ratio; known are word, sigma");
  refused("targets", "bits", "targets: must be sent or posterior, not 'bits'");
  refused("view", "words", "view: 'words' is not a view; known are bits, flips");
  refused("positions", "1", "positions: '1' is not a choice; known are yes, no");
  for (const std::string text : {"0", "x", "5+", "+5", "5,6", "1001", "-1"}) {
    const bool number = text == "0" || text == "1001";
    refused("beliefs", text, number ? "beliefs: must be 1 to 1000, not " + text : "beliefs: '");
    if (text == "0") continue;
    refused("lists", number ? "5" : text, number ? "lists: must be 0 to 4, not 5" : "lists: '");
  }
  refused("data_seed", "-1", "data_seed: '-1' is not a whole number");
  refused("seed", "1", "has no setting 'seed'");
}

TEST(LdpcTask, CodesThatCannotBeUsedAreErrorsOfOneLine) {
  const testing::Scratch scratch;
  const auto absent = (scratch.path() / "absent.alist").string(),
             bad = (scratch.path() / "bad.alist").string(),
             single = (scratch.path() / "single.alist").string();
  std::ofstream(bad) << "7 3\nno numbers\n";
  {
    std::ofstream out(single);
    const std::vector<std::vector<std::uint32_t>> rows{{0}, {1}};
    write_alist(out, SparseParityMatrix(2, rows));
  }
  const auto make = [](const std::string& file) {
    return [=] { experiments::make_task("ldpc", {{"code", file}}); };
  };
  expect_error(ErrorCode::io, "absent.alist", make(absent));
  expect_error(ErrorCode::format, "bad.alist", make(bad));
  expect_error(ErrorCode::usage, "single: has one word only", make(single));
}

}  // namespace
}  // namespace fgnn::ldpc
