#include "fgnn/cli/solve.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "fgnn/cli/control.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/infer/finish.h"
#include "fgnn/io/gnuplot.h"
#include "fgnn/report/text.h"
#include "fgnn/report/trace_plot.h"

namespace fgnn::cli {
namespace {

constexpr State kStatesAsColumns = 8;  // more states than this: only the likeliest are shown
constexpr std::size_t kLikeliest = 4;
constexpr double kLeast = 1e-3;  // seconds for a certificate
constexpr std::size_t kTraceRows = 40;

std::string likeliest_states(std::span<const double> p) {
  std::vector<State> order(p.size());
  std::iota(order.begin(), order.end(), State{0});
  std::ranges::stable_sort(order, [&](State a, State b) { return p[a] > p[b]; });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kLikeliest); ++i) {
    text += fmt::format("{}{}: {:.6f}", i ? "  " : "", order[i], p[order[i]]);
  }
  return text + (order.size() > kLikeliest ? "  …" : "");
}

Json json_of(const FactorGraph& graph, const Result& result) {
  Json json;
  json["status"] = std::string(name(result.status));
  json["method"] = result.method;
  if (!result.message.empty()) json["message"] = result.message;
  Json names = Json::array();
  for (VariableId v = 0; v < graph.num_variables(); ++v) names.push_back(graph.name(v));
  json["variables"] = std::move(names);
  return json;
}

Json report_json(const Result& result) {
  const auto object = [](const Fields& fields) {
    Json values = Json::object();
    for (const Field& field : fields) values[field.name] = field.value;
    return values;
  };
  Json phases = Json::object();
  for (const Phase& phase : result.phases) phases[std::string(phase.name)] = phase.seconds;
  return {{"graph",
           {{"variables", result.graph.variables},
            {"factors", result.graph.factors},
            {"edges", result.graph.edges},
            {"states", result.graph.states}}},
          {"given", object(result.options.given())},
          {"used", object(result.options.used())},
          {"phases", std::move(phases)},
          {"residuals", result.residuals}};
}

// How a portfolio went: absent for methods that are none.
void add_history(Json& json, const Result& result) {
  if (!result.tried.empty()) {
    Json rows = Json::array();
    for (const Trial& trial : result.tried) {
      rows.push_back({{"method", trial.method},
                      {"outcome", trial.outcome},
                      {"score", trial.score},
                      {"bound", trial.bound},
                      {"seconds", trial.seconds}});
    }
    json["tried"] = std::move(rows);
  }
  if (result.trace.empty()) return;
  Json points = Json::array();
  for (const TracePoint& point : result.trace) {
    points.push_back({{"seconds", point.seconds}, {"score", point.score}, {"bound", point.bound}});
  }
  json["trace"] = std::move(points);
}

std::string finite_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : "";
}

std::string history_text(const Result& result) {
  std::string text;
  if (!result.tried.empty()) {
    TextTable table({{"tried"},
                     {"score", Align::right},
                     {"bound", Align::right},
                     {"time", Align::right},
                     {"outcome"}});
    for (const Trial& trial : result.tried) {
      table.add({trial.method, finite_text(trial.score), finite_text(trial.bound),
                 seconds_text(trial.seconds), trial.outcome});
    }
    text += "\n" + table.text();
  }
  if (result.trace.empty()) return text;
  TextTable table({{"score", Align::right}, {"bound", Align::right}, {"after", Align::right}});
  for (const TracePoint& point : result.trace) {
    table.add({finite_text(point.score), finite_text(point.bound), seconds_text(point.seconds)});
  }
  return text + "\n" + table.text(kTraceRows);
}

std::string rendered(const FactorGraph& graph, const Solved& solved, const SolveOptions& options,
                     const Presentation& present) {
  const Result& result = solved.result;
  if (options.output.json) {
    Json json = json_of(graph, result);
    present.json(json, solved, options);
    json["iterations"] = result.iterations;
    json["seconds"] = result.seconds;
    add_history(json, result);
    if (options.report) json["report"] = report_json(result);
    return json_text(json);
  }
  if (result.status == Status::infeasible) return {};
  if (!options.answer.empty()) {
    std::ostringstream out;
    present.answer(out, result, options);
    return out.str();
  }
  return present.text(graph, solved, options) +
         (options.report ? "\n" + result.full_report() + history_text(result) : "");
}

// What a method proved itself needs no relaxation.
Certificate judge(const FactorGraph& graph, const Result& result, const SolveOptions& options,
                  const Evidence& evidence) {
  if (result.status == Status::exact) return {result.method, result.bound, 0, true, 0};
  MethodOptions limits = options.solver.get();
  limits.control = control();
  // What the method has left of the time; with nothing left, hardly a bound.
  limits.time_limit = std::max(options.solver.limits.clock().remaining(), kLeast);
  return certify(graph, result.assignment, options.certificate, evidence, limits);
}

// The result and, where asked for, its certificate; one that proves infeasibility has the last
// word.
Solved answer(const Method& method, const FactorGraph& graph, const SolveOptions& options,
              const MethodOptions& method_options, const Evidence& evidence) {
  Solved solved{method.solve(graph, method_options, evidence), {}};
  Result& result = solved.result;
  if (options.certificate.empty() || result.status == Status::infeasible) return solved;
  solved.certificate = judge(graph, result, options, evidence);
  if (solved.certificate->infeasible()) {
    result.bound = kForbidden;
    result = finish_map(graph.given(evidence), std::move(result));
  }
  return solved;
}

}  // namespace

void SolveOptions::declare(CLI::App& command, Query query) {
  model.declare(command);
  evidence.declare(command);
  solver.declare(command, query);
  command.add_flag("--report", report, "Also print how it was solved: options used, time by phase");
  output.declare(command);
}

void solve(const SolveOptions& options, Query query, const Presentation& present) {
  // Options first: a slip should not cost the reading of a large file.
  if (!options.plot.empty()) require_gnuplot("--plot");
  const Method& method = find_method(query, options.solver.method);
  MethodOptions method_options = options.solver.get();
  method.check(method_options);
  const FactorGraph graph = options.model.read(options.solver.limits);
  const Evidence evidence = options.evidence.read(graph);
  options.solver.limits.apply(method_options, graph);
  method_options.control = control();
  const Solved solved = answer(method, graph, options, method_options, evidence);
  const Result& result = solved.result;
  // An infeasible model has nothing to draw, and says so below.
  if (!options.plot.empty() && result.status != Status::infeasible) {
    report::plot_trace(result, options.plot);
  }
  if (const std::string text = rendered(graph, solved, options, present); !text.empty()) {
    options.output.deliver(text);
  }
  if (result.status == Status::infeasible) {
    throw Error(ErrorCode::infeasible, options.model.name(), result.message);
  }
  if (!result.message.empty()) print_message("fgnn: note: " + result.message);
  if (result.status == Status::interrupted) {
    end_if_interrupted(options.model.name(), "the answer is the best found until then");
  }
}

void add_method(Summary& summary, const Result& result) {
  summary.add("method", result.method);
  summary.add("status", std::string(name(result.status)));
}

TextTable marginals_table(const FactorGraph& graph, const Marginals& marginals) {
  const State most = graph.num_variables() ? std::ranges::max(graph.states()) : 0;
  std::vector<TextTable::Column> columns{{"variable"}};
  if (most > kStatesAsColumns) {
    columns.push_back({"likeliest states"});
  } else {
    for (State x = 0; x < most; ++x) {
      columns.push_back({fmt::format("p({})", x), Align::right});
    }
  }
  TextTable table(columns);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    std::vector<std::string> row{graph.name(v)};
    if (most > kStatesAsColumns) {
      row.push_back(likeliest_states(marginals[v]));
    } else {
      for (double p : marginals[v]) row.push_back(fmt::format("{:.6f}", p));
      row.resize(columns.size());
    }
    table.add(std::move(row));
  }
  return table;
}

TextTable assignment_table(const FactorGraph& graph, const std::vector<State>& assignment) {
  TextTable table({{"variable"}, {"state", Align::right}});
  for (VariableId v = 0; v < assignment.size(); ++v) {  // none where no method found one
    table.add({graph.name(v), fmt::format("{}", assignment[v])});
  }
  return table;
}

}  // namespace fgnn::cli
