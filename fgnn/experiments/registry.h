// Every task by name, with settings as text: what `fgnn train`, `fgnn eval` and saved models share.
// Those of the experiments (list.cc) are there by themselves; another program adds its own by a
// call of add_task. Any thread may add and ask.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fgnn/experiments/task_info.h"
#include "fgnn/network/model.h"

namespace fgnn::experiments {

// Those known by now, in the order in which they were added: those of the experiments first.
std::vector<TaskInfo> task_list();

// One more. Throws Error(usage) when there is one of that name, or the name holds a colon or comma.
void add_task(TaskInfo info);

// Stays as long as the program. Throws Error(usage) for an unknown name, with the nearest known
// one.
const TaskInfo& find_task(const std::string& name);

// From texts KEY=VALUE, as given by `option`. Throws Error(usage).
Settings parse_settings(const std::vector<std::string>& texts, const std::string& option);

// Those given, above the defaults. Throws Error(usage) for what is unknown.
Settings complete(const TaskInfo& task, const Settings& given);

// Settings that are absent have their defaults. Throws Error(usage) for what is unknown.
std::unique_ptr<tasks::Task> make_task(const std::string& name, const Settings& settings);

// The task that a saved model says it was trained for; empty where it does not say.
std::string task_name_of(const network::Model& model);
// A task with the settings that the model was saved with, below those given. Throws as make_task
// does, and Error(format) naming `file` for a setting of the file's own that makes no sense.
std::unique_ptr<tasks::Task> make_task_of(const network::Model& model, const std::string& file,
                                          const std::string& name, const Settings& given);

}  // namespace fgnn::experiments
