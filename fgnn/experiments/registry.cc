#include "fgnn/experiments/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn::experiments {

const std::vector<TaskInfo>& task_list() {
  static const std::vector<TaskInfo> all = [] {
    std::vector<TaskInfo> tasks;
    for (const Experiment& e : list()) tasks.insert(tasks.end(), e.tasks.begin(), e.tasks.end());
    return tasks;
  }();
  return all;
}

const TaskInfo& find_task(const std::string& name) {
  std::vector<std::string> names;
  for (const TaskInfo& info : task_list()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw Error(ErrorCode::usage, name, "is not a task", suggestion(name, names));
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
  for (const TaskInfo& info : task_list()) {
    if (info.name != name) continue;
    for (const Setting& setting : info.settings) {
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
