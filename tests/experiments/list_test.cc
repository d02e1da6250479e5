// What every experiment promises by being in the list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/experiments/experiment.h"
#include "fgnn/experiments/registry.h"
#include "tests/places.h"

namespace fgnn::experiments {
namespace {

TEST(Experiments, AreFoldersWithTestsAndAPage) {
  const std::filesystem::path root = FGNN_SOURCE_DIR;
  std::set<std::string> listed, folders;
  for (const Experiment& e : list()) {
    EXPECT_TRUE(listed.insert(e.name).second) << e.name << " is listed twice";
    EXPECT_FALSE(e.description.empty()) << e.name;
    EXPECT_TRUE(std::filesystem::is_directory(root / "tests/experiments" / e.name)) << e.name;
    EXPECT_TRUE(std::filesystem::exists(root / "docs" / (e.name + ".md"))) << e.name;
  }
  for (const auto& entry : std::filesystem::directory_iterator(root / "fgnn/experiments")) {
    if (std::filesystem::exists(entry.path() / "experiment.cc")) {
      folders.insert(entry.path().filename().string());
    }
  }
  EXPECT_EQ(listed, folders);
}

TEST(Experiments, TasksHaveNamesOfTheirOwnAndExplainTheirSettings) {
  std::set<std::string> names;
  for (const TaskInfo& task : task_list()) {
    EXPECT_TRUE(names.insert(task.name).second) << task.name;
    EXPECT_TRUE(task.make) << task.name;
    std::set<std::string> settings;
    for (const Setting& s : task.settings) {
      EXPECT_TRUE(settings.insert(s.name).second) << task.name << " " << s.name;
      EXPECT_FALSE(s.help.empty()) << task.name << " " << s.name;
    }
    for (const Option& o : task.options) {
      EXPECT_TRUE(o.name.starts_with("--")) << task.name << " " << o.name;
      EXPECT_TRUE(o.setting.empty() || settings.contains(o.setting)) << task.name << o.name;
      EXPECT_TRUE(!o.setting.empty() || task.plan) << "nobody reads " << task.name << o.name;
    }
    EXPECT_EQ(complete(task, {}).size(), task.settings.size());
  }
}

TEST(Experiments, CommandsAreSaidInWordsAndBelowTheirGroup) {
  std::set<std::string> names{"predict"};
  for (const Experiment& e : list()) {
    for (const Command& c : e.commands) {
      EXPECT_TRUE(names.insert(c.name).second) << c.name;
      EXPECT_FALSE(c.summary.empty()) << c.name;
      EXPECT_FALSE(c.help.empty()) << c.name;
      EXPECT_FALSE(c.examples.empty()) << c.name;
      for (const std::string& example : c.examples) EXPECT_TRUE(example.starts_with("fgnn "));
      if (const auto space = c.name.find(' '); space != std::string::npos) {
        EXPECT_TRUE(names.contains(c.name.substr(0, space))) << c.name;
        EXPECT_TRUE(c.run) << c.name;
      }
    }
  }
}

TEST(Experiments, ReproductionsNameTheirTables) {
  for (const Experiment& e : list()) {
    const Reproduction& r = e.reproduction;
    if (!r.run) continue;
    EXPECT_FALSE(r.tables.empty()) << e.name;
    EXPECT_FALSE(r.quick.empty()) << e.name;
    EXPECT_FALSE(r.examples.empty()) << e.name;
    std::set<std::string> names;
    for (const auto& table : r.tables) {
      EXPECT_TRUE(names.insert(table.name).second) << e.name << " " << table.name;
      EXPECT_EQ(table.name.find(','), std::string::npos) << table.name;
      EXPECT_FALSE(table.title.empty()) << table.name;
    }
  }
}

}  // namespace
}  // namespace fgnn::experiments
