#include "fgnn/experiments/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/registry.h"
#include "fgnn/core/suggest.h"
#include "fgnn/experiments/experiment.h"

namespace fgnn::experiments {

namespace {

OrderedRegistry<TaskInfo>& known_tasks() {
  struct Filled : OrderedRegistry<TaskInfo> {
    Filled() : OrderedRegistry("task") {
      for (const Experiment& e : list()) {
        for (const TaskInfo& info : e.tasks) add(info.name, info);
      }
    }
  };
  static Filled all;
  return all;
}

}  // namespace

std::vector<TaskInfo> task_list() { return known_tasks().values(); }

void add_task(TaskInfo info) {
  const std::string name = info.name;
  known_tasks().add(name, std::move(info));
}

const TaskInfo& find_task(const std::string& name) {
  if (const TaskInfo* info = known_tasks().find(name)) return *info;
  throw Error(ErrorCode::usage, name, "is not a task", suggestion(name, known_tasks().names()));
}

Settings parse_settings(const std::vector<std::string>& texts, const std::string& option) {
  Settings settings;
  for (const auto& text : texts) {
    const auto at = text.find('=');
    if (at == std::string::npos || at == 0) {
      throw Error(ErrorCode::usage, option, fmt::format("'{}' is not KEY=VALUE", text));
    }
    settings[text.substr(0, at)] = text.substr(at + 1);
  }
  return settings;
}

Settings complete(const TaskInfo& task, const Settings& given) {
  Settings settings;
  std::vector<std::string> known;
  for (const Setting& setting : task.settings) {
    settings[setting.name] = setting.fallback;
    known.push_back(setting.name);
  }
  for (const auto& [key, value] : given) {
    if (!settings.contains(key)) {
      throw Error(ErrorCode::usage, fmt::format("task {}", task.name),
                  fmt::format("has no setting '{}'", key), suggestion(key, known));
    }
    settings[key] = value;
  }
  return settings;
}

std::unique_ptr<tasks::Task> make_task(const std::string& name, const Settings& given) {
  const TaskInfo& info = find_task(name);
  return info.make(complete(info, given));
}

std::string task_name_of(const network::Model& model) {
  const auto saved = model.metadata.find("task");
  return saved == model.metadata.end() ? "" : saved->second;
}

std::unique_ptr<tasks::Task> make_task_of(const network::Model& model, const std::string& file,
                                          const std::string& name, const Settings& given) {
  Settings settings = given;
  std::vector<std::string> saved;  // by the file alone
  if (const TaskInfo* info = known_tasks().find(name)) {
    for (const Setting& setting : info->settings) {
      const auto known = model.metadata.find(setting.name);
      if (known != model.metadata.end() &&
          settings.try_emplace(setting.name, known->second).second) {
        saved.push_back(setting.name);
      }
    }
  }
  try {
    return make_task(name, settings);
  } catch (const Error& error) {
    const auto is_subject = [&](const std::string& key) {
      return error.subject() == key || error.subject() == fmt::format("'{}'", settings.at(key));
    };
    const bool of_file = std::ranges::any_of(saved, is_subject) ||
                         (error.subject() == name && name == task_name_of(model));
    if (!of_file || error.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::format, file, fmt::format("its metadata: {}", error.what()));
  }
}

}  // namespace fgnn::experiments
