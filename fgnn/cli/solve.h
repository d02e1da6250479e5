// What `infer` and `map` share: read, observe, solve, deliver, and report failure.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "fgnn/cli/options.h"
#include "fgnn/infer/certificate.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {

struct SolveOptions {
  ModelOptions model;
  EvidenceOptions evidence;
  SolverOptions solver;
  OutputOptions output;
  std::string answer;       // empty, or the competition format to write
  std::string certificate;  // empty, or the method whose bound judges the answer
  std::string plot;         // empty, or the file to draw the trace to
  bool report = false;      // how it was solved, beside the answer

  std::size_t k() const { return solver.settings.k.value_or(1); }
  void declare(CLI::App& command, Query query);
};

struct Solved {
  Result result;
  std::optional<Certificate> certificate;
};

// How one query shows its result, in each of the three ways.
struct Presentation {
  std::function<std::string(const FactorGraph&, const Solved&, const SolveOptions&)> text;
  std::function<void(Json&, const Solved&, const SolveOptions&)> json;  // adds its members
  std::function<void(std::ostream&, const Result&, const SolveOptions&)> answer;
};

// Throws Error(infeasible) after delivering, when that is the status.
void solve(const SolveOptions& options, Query query, const Presentation& present);

// The lines that open every summary of a result.
void add_method(Summary& summary, const Result& result);

// Tables of one result, also for `fgnn demo`.
TextTable marginals_table(const FactorGraph& graph, const Marginals& marginals);
TextTable assignment_table(const FactorGraph& graph, const std::vector<State>& assignment);

}  // namespace fgnn::cli
