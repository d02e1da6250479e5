#include "fgnn/experiments/outcomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::experiments {
namespace {

using ::testing::ElementsAre;
using testing::expect_error;
using testing::Scratch;

struct Trial {
  std::string letter;
  std::string name() const { return letter; }
};

struct TrialOutcome {
  std::string run;
  double length = 0;
};

std::string line_of(const TrialOutcome& o) {
  return Json{{"run", o.run}, {"length", o.length}}.dump();
}

const std::vector<Trial> kTrials{{"a"}, {"b"}, {"a"}, {"c"}};  // "a" is of two tables

// A folder of outcomes, and who makes those that are missing.
struct Trials {
  Scratch scratch;
  std::filesystem::path folder = scratch.path() / "runs";
  std::vector<std::string> performed;
  Control control;
  StopSource stop_after_first;

  TakeOutcome taker(std::vector<TrialOutcome>& outcomes) const {
    return [&outcomes](const Json& json) {
      outcomes.push_back({json.at("run").get<std::string>(), json.at("length").get<double>()});
      return true;
    };
  }
  std::vector<TrialOutcome> read() const {
    std::vector<TrialOutcome> outcomes;
    read_outcome_lines(folder, "reproduce trials", taker(outcomes));
    return outcomes;
  }
  std::vector<TrialOutcome> complete() {
    std::vector<TrialOutcome> outcomes;
    OutcomeFile file(folder, "reproduce trials", taker(outcomes));
    complete_outcomes(outcomes, kTrials, file, control, [&](const Trial& trial) {
      performed.push_back(trial.letter);
      stop_after_first.request_stop();
      return TrialOutcome{trial.letter, 1};
    });
    return outcomes;
  }
};

TEST(Outcomes, OfMissingRunsAreAddedOnce) {
  Trials t;
  EXPECT_EQ(t.read().size(), 0u);
  EXPECT_EQ(t.complete().size(), 3u);
  EXPECT_EQ(t.complete().size(), 3u);
  EXPECT_THAT(t.performed, ElementsAre("a", "b", "c"));
  // A line that was cut short is done again.
  const auto file = t.folder / "results.jsonl";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
  EXPECT_EQ(t.read().size(), 2u);
  EXPECT_EQ(t.complete().size(), 3u);
  EXPECT_EQ(t.read().size(), 3u);
  EXPECT_THAT(t.performed, ElementsAre("a", "b", "c", "c"));
}

TEST(Outcomes, AreKeptWhenAReproductionIsStopped) {
  Trials t;
  t.control.stop = t.stop_after_first.token();
  expect_error(ErrorCode::interrupted, "the same command goes on", [&] { t.complete(); });
  EXPECT_EQ(t.read().size(), 1u);
  t.control.stop = {};
  EXPECT_EQ(t.complete().size(), 3u);
  EXPECT_THAT(t.performed, ElementsAre("a", "b", "c"));
}

TEST(Outcomes, TheObserverIsToldWhichRunBegins) {
  struct Listener : Observer {
    std::vector<std::string> told;
    void on_progress(const Progress& p) override {
      told.push_back(std::string(p.note) + " " + std::to_string(static_cast<int>(p.done)));
    }
  } listener;
  Trials t;
  t.control.observer = &listener;
  t.complete();
  EXPECT_THAT(listener.told, ElementsAre("a 0", "a 1", "b 1", "b 2", "c 2", "c 3", "c 3"));
}

TEST(Outcomes, WhatIsNoneIsNamed) {
  Trials t;
  t.complete();
  for (const char* wrong : {"{\"run\":\"d\"}", "[1]", "nothing"}) {
    const auto file = t.folder / "results.jsonl";
    const auto size = std::filesystem::file_size(file);
    std::ofstream(file, std::ios::app) << wrong << "\n";
    const std::string message = "results.jsonl:4: is not a result of fgnn reproduce trials";
    expect_error(ErrorCode::format, message, [&] { t.read(); });
    expect_error(ErrorCode::format, message, [&] { t.complete(); });
    std::filesystem::resize_file(file, size);
  }
}

TEST(Outcomes, AFolderThatCannotBeMadeShowsAtOnce) {
  Trials t;
  std::ofstream(t.folder) << "a file";
  expect_error(ErrorCode::io, "runs", [&] { t.complete(); });
  EXPECT_TRUE(t.performed.empty());
}

}  // namespace
}  // namespace fgnn::experiments
