#include "fgnn/experiments/registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/experiments/experiment.h"
#include "tests/reference/environment.h"
#include "tests/reference/expect_error.h"

namespace fgnn::experiments {
namespace {

using testing::expect_error;

network::Model saved_with(const std::map<std::string, std::string>& metadata) {
  network::Model model;
  model.metadata = metadata;
  return model;
}

// Graphs without anything; the settings are all there is to see.
class BareTask : public tasks::Task {
 public:
  BareTask(std::string name, Settings settings)
      : name_(std::move(name)), settings_(std::move(settings)) {}

  std::string name() const override { return name_; }
  network::Schema schema() const override { return {1, {}}; }
  tasks::Labelled instance(tasks::Stream, std::uint64_t) const override { return {}; }
  std::map<std::string, std::string> settings() const override { return settings_; }

 private:
  std::string name_;
  Settings settings_;
};

TaskInfo bare_task(const std::string& name) {
  return {.name = name,
          .description = "nothing",
          .settings = {{"size", "3", "Of what there is not"}},
          .make = [name](const Settings& complete) {
            return std::make_unique<BareTask>(name, complete);
          }};
}

bool is_refused(const std::string& name) {
  try {
    add_task(bare_task(name));
  } catch (const Error& error) {
    return error.code() == ErrorCode::usage;
  }
  return false;
}

// In a process of its own, since a task that was added stays.
TEST(TasksDeathTest, MayBeAddedByAProgram) {
  const auto adds_and_makes = [] {
    const TaskInfo& before = find_task("synthetic");
    add_task(bare_task("mine"));
    const auto size = [](const std::unique_ptr<tasks::Task>& task) {
      return task->settings().at("size");
    };
    const auto saved = saved_with({{"task", "mine"}, {"size", "7"}});
    const bool made = size(make_task("mine", {})) == "3" &&
                      size(make_task("mine", {{"size", "5"}})) == "5" &&
                      size(make_task_of(saved, "m.st", "mine", {})) == "7";
    const bool listed =
        task_list().back().name == "mine" && find_task("mine").description == "nothing";
    const bool stays = &find_task("synthetic") == &before;
    std::exit(made && listed && stays && is_refused("mine") ? 0 : 1);
  };
  EXPECT_EXIT(adds_and_makes(), ::testing::ExitedWithCode(0), "");
}

// All ask first, so that one of them fills the registry. The thread sanitizer sees more.
TEST(TasksDeathTest, MayBeAddedByManyThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // it starts threads
  const auto all_add = [] {
    constexpr std::size_t kThreads = 4, kEach = 25;
    std::atomic<std::size_t> made = 0, won = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([t, &made, &won] {
        for (std::size_t i = 0; i < kEach; ++i) {
          const std::string name = "mine" + std::to_string(t * kEach + i);
          add_task(bare_task(name));
          made += make_task(name, {})->name() == name;
        }
        won += !is_refused("shared");
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::size_t own = 0;
    for (const Experiment& e : list()) own += e.tasks.size();
    const bool sound =
        made == kThreads * kEach && won == 1 && task_list().size() == own + kThreads * kEach + 1;
    std::exit(sound ? 0 : 1);
  };
  EXPECT_EXIT(all_add(), ::testing::ExitedWithCode(0), "");
}

TEST(Tasks, RefuseNamesThatAreTakenOrOdd) {
  expect_error(ErrorCode::usage, "task 'synthetic': there is one of that name",
               [] { add_task(bare_task("synthetic")); });
  for (const char* odd : {"", "a:b", "a,b"}) {
    expect_error(ErrorCode::usage, "no colon or comma", [&] { add_task(bare_task(odd)); });
  }
  expect_error(ErrorCode::usage, "did you mean 'synthetic'", [] { find_task("synthetik"); });
}

TEST(TaskOfModel, HasItsSettingsBelowThoseGiven) {
  const auto model = saved_with({{"task", "synthetic"}, {"dataset", "D1"}, {"length", "8"}});
  EXPECT_EQ(task_name_of(model), "synthetic");
  EXPECT_EQ(task_name_of(network::Model()), "");
  const auto task = make_task_of(model, "m.st", "synthetic", {{"length", "12"}});
  EXPECT_EQ(task->settings().at("dataset"), "D1");
  EXPECT_EQ(task->settings().at("length"), "12");
}

TEST(TaskOfModel, DamagedSettingsAreAFaultOfTheFile) {
  const auto of = [](const std::string& key, const std::string& value, const Settings& given = {}) {
    return [=] {
      auto model = saved_with({{"task", "synthetic"}});
      model.metadata[key] = value;
      make_task_of(model, "m.st", task_name_of(model), given);
    };
  };
  expect_error(ErrorCode::format, "m.st: its metadata: length: 'x' is not a whole number",
               of("length", "x"));
  expect_error(ErrorCode::format, "m.st: its metadata: 'D9': there is no such synthetic model",
               of("dataset", "D9"));
  expect_error(ErrorCode::format, "m.st: its metadata: temperature", of("temperature", "hot"));
  expect_error(ErrorCode::format, "m.st: its metadata: synthesis: is not a task",
               of("task", "synthesis"));
  // What was given is not the file's fault.
  expect_error(ErrorCode::usage, "length: 'y' is not a whole number",
               of("length", "x", {{"length", "y"}}));
  const testing::EnvironmentVariable none("FGNN_DATA", std::nullopt);
  expect_error(ErrorCode::usage, "task handwriting: has no data", [] {
    make_task_of(saved_with({{"task", "handwriting"}}), "m.st", "handwriting", {});
  });
}

}  // namespace
}  // namespace fgnn::experiments
