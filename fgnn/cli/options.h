// Options that several subcommands share: where the graph comes from, what was observed, how to
// solve, where the answer goes.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/core/read_limits.h"
#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/methods.h"

namespace fgnn::cli {

// A subcommand with its one-line description, and what it prints and examples as footer.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& prints, const std::vector<std::string>& examples);

// A number no smaller than (or, for positive, above) zero; says so in words when it is not.
CLI::Validator not_negative();
CLI::Validator positive();

// What a command may take in all: reading, planning, solving. The clock runs from the start of the
// program.
struct LimitOptions {
  std::string memory = "8G";
  double time_limit = kInfinity;
  Stopwatch started;

  void declare(CLI::App& command);
  void declare_memory(CLI::App& command);
  // For reading a file. They refer to `clock`, which must live as long.
  ReadLimits reading(const Deadline& clock) const;
  Deadline clock() const { return Deadline(time_limit, started); }
  // For what comes after reading; `subject` opens its messages.
  Budget budget(const std::string& subject) const;
  // What is left beside the graph that was read; throws Error(time_limit) when no time is left.
  void apply(MethodOptions& options, const FactorGraph& graph) const;
};

struct ModelOptions {
  std::string file, format;

  void declare(CLI::App& command);
  FactorGraph read(const LimitOptions& limits) const;
  // The file for messages: its name, or "standard input".
  std::string name() const;
};

struct EvidenceOptions {
  std::string file;
  std::vector<std::string> set, weigh;

  void declare(CLI::App& command);
  // Throws Error(usage) when --set or --weigh is malformed, Error(model) when it does not fit the
  // graph.
  Evidence read(const FactorGraph& graph) const;
};

struct SolverOptions {
  std::string method = "auto";
  LimitOptions limits;
  int threads = 0;
  std::uint64_t seed = 0;
  MethodOptions settings;  // those given on the command line

  void declare_threads(CLI::App& command);
  void declare_limits(CLI::App& command);
  // The settings that some method of the queries takes.
  void declare_settings(CLI::App& command, std::initializer_list<Query> queries);
  void declare(CLI::App& command, Query query);
  // Settings, threads and seed; the limits as they were given.
  MethodOptions get() const;
};

struct OutputOptions {
  std::string file;
  bool json = false, all = false;

  void declare_json(CLI::App& command);
  void declare_file(CLI::App& command);
  void declare(CLI::App& command);  // both
  // Rows of a table to print: all, unless it goes to a terminal and --all was not given.
  std::size_t rows() const;
  // To the file, whole or not at all, or to standard output when none was given. Of several ranks,
  // the first one delivers.
  void deliver(const std::string& text) const;
};

}  // namespace fgnn::cli
