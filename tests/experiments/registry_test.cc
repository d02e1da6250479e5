#include "fgnn/experiments/registry.h"

#include <gtest/gtest.h>

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
