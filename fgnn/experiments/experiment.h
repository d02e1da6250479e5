// What an experiment brings to the program. Everything is data and functions: experiments know
// neither the parser of the command line nor the commands that use them, and the program's core
// (cli/, tasks/, train/, report/) names no experiment.
//
// To add an experiment NAME:
//   1. a folder fgnn/experiments/NAME with its readers, tasks, networks, tables and page, in
//      namespace fgnn::NAME, and tests/experiments/NAME with its tests;
//   2. fgnn/experiments/NAME/experiment.h with one function,
//        experiments::Experiment experiment();
//      and experiment.cc, which fills the struct below;
//   3. a line in the list of fgnn/experiments/list.cc;
//   4. docs/NAME.md.
// `train`, `eval`, `predict`, `reproduce`, `list` and tests/experiments/list_test.cc then know it.
// The smallest example is fgnn/experiments/ldpc/experiment.cc.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/experiments/arguments.h"
#include "fgnn/experiments/reproduction.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/network/description.h"
#include "fgnn/report/text_table.h"
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
  std::string name, description;
  std::vector<Setting> settings;
  // From all settings. Throws Error(usage) naming the setting.
  std::function<std::unique_ptr<tasks::Task>(const Settings& complete)> make;
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

// What a command prints: `json` where it was asked for, else `text`.
struct Output {
  std::string text, json;
};

// A command of the program: "read", or "letters info" for one below another. A group such as
// "letters" is a command without `run`; `predict` is there for all to put theirs below.
struct Command {
  std::string name, summary;
  std::string help;  // what it prints and reads, in lines of at most 100 characters
  std::vector<std::string> examples;
  std::vector<Option> options;
  std::function<Output(const Arguments&)> run;
  bool json = true;      // it has --json
  bool out = false;      // --out FILE for what it prints, and --all for long tables
  bool threads = false;  // --threads and --seed
};

// Graphs that `fgnn compare` solves instead of files, named by an option such as --synthetic.
struct GraphFamily {
  Option datasets;              // a list of names
  std::vector<Option> options;  // which instances of them
  std::string methods;          // compared where none are given
  std::vector<std::string> examples;
  // Instance i of a dataset. Throws Error(usage) when called for what there is not.
  std::function<std::function<FactorGraph(std::uint64_t i)>(const std::string& dataset,
                                                            const Arguments& options)>
      graphs;
  std::function<std::uint64_t(const Arguments& options)> count;
};

// A topic of `fgnn list`.
struct List {
  std::string name;
  std::function<TextTable()> table;
};

struct Experiment {
  std::string name;         // the folder's
  std::string description;  // one line
  std::vector<TaskInfo> tasks = {};
  std::vector<Command> commands = {};
  Reproduction reproduction = {};  // without `run`: there is none
  std::vector<GraphFamily> graphs = {};
  std::vector<List> lists = {};
};

// All experiments, in the order in which they are shown (list.cc).
const std::vector<Experiment>& list();

}  // namespace fgnn::experiments
