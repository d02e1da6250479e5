#include "fgnn/experiments/motion/runs.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/experiments/motion/forecaster.h"
#include "fgnn/experiments/motion/networks.h"
#include "fgnn/experiments/motion/task.h"
#include "fgnn/experiments/outcomes.h"

namespace fgnn::motion {
namespace {

constexpr const char* kCommand = "reproduce motion";

Json json_of(const Errors& e) {
  Json json;
  for (std::size_t a = 0; a < e.actions.size(); ++a) json[e.actions[a]] = e.by_action[a];
  return json;
}

// The other way; false when it is something else.
bool errors_of(const Json& json, Errors& e) {
  if (!json.is_object() || json.empty()) return false;
  for (const auto& [action, row] : json.items()) {
    if (!row.is_array() || row.empty()) return false;
    std::vector<double> numbers;
    for (const auto& v : row) {
      if (!v.is_number()) return false;
      numbers.push_back(v.get<double>());
    }
    if (!e.by_action.empty() && numbers.size() != e.by_action[0].size()) return false;
    e.actions.push_back(action);
    e.by_action.push_back(std::move(numbers));
  }
  e.mean = mean_of(e.by_action);
  return true;
}

TaskOptions task_of(const Run& run, const ReportOptions& o) {
  TaskOptions t;
  t.data = o.data(run.dataset);
  t.form = run.form;
  t.predicted = run.predicted;
  t.stride = run.stride;
  return t;
}

Outcome perform(const Run& run, const ReportOptions& options) {
  const MotionTask task(task_of(run, options));
  train::TrainOptions how;
  const bool validates = task.has(tasks::Stream::validation);
  how.read(training_of(task.size(tasks::Stream::train),
                       validates ? task.size(tasks::Stream::validation) : 0, run.epochs),
           "training of motion");
  how.seed = run.seed;
  how.products = run.products;
  how.threads = options.threads;
  how.control = options.control;
  NetworkOptions n;
  n.network = run.network;
  n.coefficients = task.dct().kept();
  const auto report =
      experiments::train_to_the_end(options.folder, run.name(), task, network_of(n), how);
  Outcome o;
  o.run = run.name();
  const Forecaster forecaster(report.model, run.name());
  const auto sequences = task.corpus().read(Split::test, options.threads);
  for (const std::size_t windows : {8, 256}) {
    o.errors[windows] = evaluate(
        task.body(), task.corpus().actions(), sequences, windows, run.predicted,
        [&](const std::vector<Rows>& observed) { return forecaster(observed, options.threads); });
  }
  o.parameters = static_cast<double>(report.model.program.trained_numbers());
  o.seconds = report.all_seconds;
  o.threads = options.threads;
  return o;
}

}  // namespace

const std::vector<TableSpec>& table_specs() {
  constexpr Form p = Form::position, a = Form::angle;
  static const std::vector<TableSpec> all{
      {"cmu-3d", "CMU, 3D error in mm, 8 windows", "cmu", p},
      {"cmu-angle", "CMU, angle error, 8 windows", "cmu", a},
      {"cmu-3d-256", "CMU, 3D error in mm, 256 windows", "cmu", p, 256},
      {"cmu-angle-256", "CMU, angle error, 256 windows", "cmu", a, 256},
      {"h36m-3d", "H3.6M, 3D error in mm, up to 400 ms", "h36m", p, 8, 10, 0, 3},
      {"h36m-angle", "H3.6M, angle error, up to 400 ms", "h36m", a, 8, 10, 0, 3},
      {"h36m-3d-long", "H3.6M, 3D error in mm, 560 and 1000 ms", "h36m", p, 8, 25, 4, 5, true},
      {"h36m-angle-long", "H3.6M, angle error, 560 and 1000 ms", "h36m", a, 8, 25, 4, 5, true}};
  return all;
}

std::vector<report::TableInfo> motion_tables() {
  std::vector<report::TableInfo> all;
  for (const TableSpec& t : table_specs()) all.push_back({t.name, t.title});
  return all;
}

std::string Run::name() const {
  std::string text = fmt::format("{}-{}-{}-{}", dataset, name_of(form), predicted, network);
  if (stride > 1) text += fmt::format("-stride{}", stride);
  if (products != "float") text += "-" + products;
  return text + fmt::format("-epochs{}-seed{}", epochs, seed);
}

void ReportOptions::validate() const {
  report::check_tables(tables, motion_tables());
  if (seeds < 1 || seeds > 100) throw Error(ErrorCode::usage, "seeds", "must be 1 to 100");
  for (const auto& network : networks) {
    network_of({.network = network});  // which refuses what there is not
  }
  for (const TableSpec& t : table_specs()) {
    const bool asked = !tables.empty() && report::wants_table(tables, t.name);
    if (asked && train && data(t.dataset).empty()) {
      throw Error(ErrorCode::usage, t.name, "has no data",
                  t.dataset == "cmu" ? "name CMU's folder with --data"
                                     : "name the folder that holds S1 to S11 with --h36m");
    }
  }
}

bool ReportOptions::wants(const TableSpec& table) const {
  return report::wants_table(tables, table.name) && (!train || !data(table.dataset).empty());
}

std::vector<Run> runs_of(const TableSpec& table, const ReportOptions& o) {
  std::vector<Run> runs;
  for (const auto& network : o.networks) {
    for (std::uint64_t seed = 0; seed < o.seeds; ++seed) {
      runs.push_back({table.dataset, network, table.form, table.predicted, o.epochs, o.stride, seed,
                      o.products});
    }
  }
  return runs;
}

std::string line_of(const Outcome& o) {
  Json json{{"run", o.run}};
  for (const auto& [windows, errors] : o.errors) {
    json["errors"][std::to_string(windows)] = json_of(errors);
  }
  json["parameters"] = o.parameters;
  json["seconds"] = o.seconds;
  json["threads"] = o.threads;
  return json.dump();
}

namespace {

bool take(const Json& json, std::vector<Outcome>& outcomes) {
  Outcome o;
  o.run = json.at("run").get<std::string>();
  for (const std::size_t windows : {8, 256}) {
    if (!errors_of(json.at("errors").at(std::to_string(windows)), o.errors[windows])) return false;
  }
  o.parameters = json.value("parameters", 0.0);
  o.seconds = json.value("seconds", 0.0);
  o.threads = json.value("threads", 1);
  outcomes.push_back(std::move(o));
  return true;
}

// Adds outcomes of the file to these.
experiments::TakeOutcome taker(std::vector<Outcome>& outcomes) {
  return [&outcomes](const Json& json) { return take(json, outcomes); };
}

}  // namespace

std::vector<Outcome> read_outcomes(const std::filesystem::path& folder) {
  std::vector<Outcome> outcomes;
  experiments::read_outcome_lines(folder, kCommand, taker(outcomes));
  return outcomes;
}

std::vector<Outcome> reproduce(const ReportOptions& options) {
  options.validate();
  if (!options.train) return read_outcomes(options.folder);
  std::vector<Outcome> outcomes;
  experiments::OutcomeFile file(options.folder, kCommand, taker(outcomes));
  std::vector<Run> runs;
  for (const TableSpec& table : table_specs()) {
    if (!options.wants(table)) continue;
    for (Run& run : runs_of(table, options)) runs.push_back(std::move(run));
  }
  experiments::complete_outcomes(outcomes, runs, file, options.control,
                                 [&](const Run& run) { return perform(run, options); });
  return outcomes;
}

}  // namespace fgnn::motion
