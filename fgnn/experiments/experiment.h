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

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fgnn/experiments/arguments.h"
#include "fgnn/experiments/graph_family.h"
#include "fgnn/experiments/reproduction.h"
#include "fgnn/experiments/task_info.h"
#include "fgnn/report/text_table.h"

namespace fgnn::experiments {

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
