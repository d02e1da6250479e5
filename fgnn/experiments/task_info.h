// A task by its name, with settings as text: what `fgnn train`, `fgnn eval` and saved models know
// of it. Experiments bring theirs (experiment.h), a program adds its own (registry.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/experiments/arguments.h"
#include "fgnn/network/description.h"
#include "fgnn/tasks/task.h"

namespace fgnn::experiments {

// Settings of a task as text. Saved models keep them, so that they are tested on what they were
// trained for.
using Settings = std::map<std::string, std::string>;

struct Setting {
  std::string name, fallback, help;
};

// What `fgnn train TASK` runs.
struct Plan {
  std::unique_ptr<tasks::Task> task;
  network::Description network;  // where the user names none
  std::string training;          // options of training as JSON (train/options.h), below the user's
};

struct TaskInfo {
  // The name is also that of the tasks made, tasks::Task::name: saved models keep it.
  std::string name, description;
  std::vector<Setting> settings = {};
  // From all settings. Throws Error(usage) naming the setting.
  std::function<std::unique_ptr<tasks::Task>(const Settings& complete)> make = {};
  // Further options of `fgnn train TASK`: short for a setting, where Option::setting names one, or
  // for `plan`. Tasks may share names.
  std::vector<Option> options = {};
  // The task with its network and options of training, for the settings given (the others have
  // their defaults: make_task) and the options above. None: the preset fgnn, trained as options of
  // training are by default.
  std::function<Plan(const Settings& given, const Arguments& options)> plan = {};
  std::vector<std::string> examples = {};  // of training
  // Where belief propagation compiles into networks for this task (fgnn neuralize --family): throws
  // Error(unsupported) for settings that it does not take. None: it takes all.
  std::function<void(const Settings& complete)> check_family = {};
  std::vector<std::string> family_examples = {};
};

}  // namespace fgnn::experiments
