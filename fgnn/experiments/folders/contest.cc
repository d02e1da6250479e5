#include "fgnn/experiments/folders/contest.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <new>
#include <numbers>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/experiments/measurement_log.h"
#include "fgnn/io/files.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/toulbar2.h"
#include "fgnn/io/uai_answers.h"

namespace fgnn::folders {
namespace {

// A model as it was read, and what is known of its answers.
struct Problem {
  FactorGraph graph;  // given the evidence
  std::optional<Marginals> marginals;
  std::optional<double> log10_z, known_score;
  std::string reference;  // whose these are
};

template <class Read>
auto read_beside(const std::filesystem::path& file, Read read) {
  std::ifstream in = open_input(file);
  return read(in, file.string());
}

Problem read_problem(const ModelFile& model, const ContestOptions& options) {
  const Deadline deadline(options.time_limit, {}, options.control.stop);
  ReadLimits limits;
  limits.max_bytes = options.max_bytes;
  limits.deadline = &deadline;
  Problem problem;
  problem.graph = read_graph(model.path, {}, limits);
  if (!model.evidence.empty()) {
    problem.graph = problem.graph.given(read_evidence(problem.graph, model.evidence));
  }
  const FactorGraph& graph = problem.graph;
  if (options.query == Query::map) {
    if (model.assignment.empty()) return problem;
    const auto known = read_beside(model.assignment, [&](std::istream& in, const std::string& f) {
      return read_map(in, f, graph);
    });
    problem.known_score = graph.score(known);
    return problem;
  }
  if (!model.marginals.empty()) {
    problem.marginals = read_beside(model.marginals, [&](std::istream& in, const std::string& f) {
      return read_mar(in, f, graph);
    });
  }
  if (!model.partition.empty()) {
    problem.log10_z = read_beside(model.partition, read_pr) / std::numbers::ln10;
  }
  if (problem.marginals || problem.log10_z) problem.reference = "files";
  return problem;
}

double mean_difference(const Marginals& a, const Marginals& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i)
    sum += std::abs(a.values()[i] - b.values()[i]);
  return a.values().empty() ? 0 : sum / static_cast<double>(a.values().size());
}

// Fills in a measurement, or throws.
using Solve = std::function<void(Problem& problem, Measurement& measurement)>;

void take_map(const Result& result, Measurement& m) {
  m.score = result.score;
  m.bound = result.bound;
  m.answered = result.score != kForbidden;
}

void take_marginals(const Result& result, Problem& problem, Measurement& m) {
  m.answered = !result.marginals.empty();
  if (result.log_partition) m.log10_z = *result.log_partition / std::numbers::ln10;
  if (!m.answered) return;
  // The first exact answer stands in for files.
  if (problem.reference.empty() && result.status == Status::exact) {
    problem.marginals = result.marginals;
    problem.log10_z = m.log10_z;
    problem.reference = m.method;
  }
  if (problem.marginals) m.marginal_error = mean_difference(result.marginals, *problem.marginals);
  if (problem.log10_z && m.log10_z) m.z_error = std::abs(*m.log10_z - *problem.log10_z);
  m.reference = problem.reference;
}

void solve_by(const MethodVariant& variant, Problem& problem, Measurement& m) {
  const Result result = variant.method->solve(problem.graph, variant.options, {});
  if (result.status == Status::interrupted) {
    throw Error(ErrorCode::interrupted, m.model, "interrupted");
  }
  m.status = name(result.status);
  m.note = result.message;
  if (result.method != variant.method->name) m.answerer = result.method;
  if (variant.method->query == Query::map) {
    take_map(result, m);
  } else {
    take_marginals(result, problem, m);
  }
}

void solve_by_toulbar2(const ContestOptions& options, const Problem& problem, Measurement& m) {
  const Toulbar2Answer answer =
      toulbar2_map(problem.graph, {options.time_limit, options.max_bytes});
  options.control.end_if_stopped(m.model, "");
  m.seconds = answer.seconds;  // without writing the file
  m.status = answer.infeasible ? "infeasible" : answer.proved ? "exact" : "time_limit";
  if (answer.assignment.empty()) {
    m.note = answer.infeasible ? "" : "no assignment was found";
    return;
  }
  m.score = problem.graph.score(answer.assignment);
  m.answered = m.score != kForbidden;
  if (!m.answered) m.note = "its assignment is forbidden";
}

struct Row {
  std::string label;
  Json how;  // what makes it this measurement and no other, beside the model
  Solve solve;
};

Json settings_of(const MethodVariant& variant) {
  Json settings = Json::object();
  for (const Field& field : fields(variant.options)) settings[field.name] = field.value;
  return settings;
}

std::vector<Row> rows(const ContestOptions& options) {
  std::vector<Row> all;
  for (const MethodVariant& variant : options.methods) {
    all.push_back({variant.label, settings_of(variant),
                   [&variant](Problem& p, Measurement& m) { solve_by(variant, p, m); }});
  }
  if (options.toulbar2) {
    Json how{{"time limit",
              optional_json(std::isfinite(options.time_limit) ? std::optional(options.time_limit)
                                                              : std::nullopt)},
             {"memory", options.max_bytes}};
    all.push_back({kToulbar2, std::move(how),
                   [&options](Problem& p, Measurement& m) { solve_by_toulbar2(options, p, m); }});
  }
  return all;
}

// Runs one; false when a stop was asked for. Everything else that is wrong is part of the
// measurement: a bug in one method should not cost the measurements of a night either.
bool measure(const std::function<void()>& solve, Measurement& m) {
  const Stopwatch watch;
  try {
    solve();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) return false;
    m.status = name(error.code());
    m.note = error.what();
  } catch (const std::bad_alloc&) {
    m.status = name(ErrorCode::too_large);
    m.note = "out of memory";
  }
  if (m.seconds == 0) m.seconds = watch.seconds();
  return true;
}

class Contest {
 public:
  Contest(const ContestOptions& options)
      : options_(options),
        rows_(rows(options)),
        log_(
            options.log, "compare", [](const Json& result) { from_json(result); }, cluster::alone(),
            "compare"),
        order_(rows_.size()) {
    // Exact ones first: their answers are references.
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_partition(order_.begin(), order_.end(), [&](std::size_t i) {
      return i < options.methods.size() && options.methods[i].method->name == "exact";
    });
  }

  // False when a stop was asked for.
  bool add(const ModelFile& model, Stage& stage) {
    std::vector<Json> measured;
    for (const Row& row : rows_) {
      measured.push_back({{"model", model.path.filename().string()},
                          {"content", model.fingerprint()},
                          {"query", std::string(name(options_.query))},
                          {"method", row.label},
                          {"how", row.how}});
    }
    std::vector<std::optional<Measurement>> found(rows_.size());
    const std::vector<Json> known = log_.known(measured);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!known[i].is_null()) found[i] = named(model, from_json(known[i]));
    }
    const bool stopped = !measure_rest(model, measured, found, stage);
    for (auto& m : found) {
      if (m) all_.push_back(std::move(*m));
    }
    return !stopped;
  }

  std::vector<Measurement> all() && { return std::move(all_); }

 private:
  static Measurement named(const ModelFile& model, Measurement m) {
    m.model = model.name;
    m.family = model.family;
    return m;
  }

  bool measure_rest(const ModelFile& model, const std::vector<Json>& measured,
                    std::vector<std::optional<Measurement>>& found, Stage& stage) {
    std::optional<Problem> problem;
    Measurement unread;
    for (const std::size_t i : order_) {
      stage.note(fmt::format("{} by {}", model.name, rows_[i].label));
      if (!found[i]) {
        if (!problem && unread.status.empty() &&
            !measure([&] { problem = read_problem(model, options_); }, unread)) {
          return false;
        }
        Measurement m = problem ? Measurement() : unread;
        m.method = rows_[i].label;
        m = named(model, std::move(m));
        if (problem) {
          m.known_score = problem->known_score;
          if (!measure([&] { rows_[i].solve(*problem, m); }, m)) return false;
        }
        log_.add(measured[i], to_json(m));
        found[i] = std::move(m);
      }
      stage.advance();
    }
    return true;
  }

  const ContestOptions& options_;
  std::vector<Row> rows_;
  experiments::MeasurementLog log_;
  std::vector<std::size_t> order_;
  std::vector<Measurement> all_;
};

}  // namespace

std::vector<Measurement> contest(const std::vector<ModelFile>& models,
                                 const ContestOptions& options) {
  if (options.toulbar2 && options.query != Query::map) {
    throw Error(ErrorCode::usage, "--toulbar2", "finds best assignments, not marginals",
                "leave out --query infer");
  }
  if (options.toulbar2 && !have_toulbar2()) {
    throw Error(ErrorCode::usage, "--toulbar2", "the program toulbar2 is not installed",
                "install Debian's package toulbar2, or leave the option out");
  }
  Contest all(options);
  const std::size_t methods = options.methods.size() + options.toulbar2;
  Stage stage(options.control, "compare", static_cast<double>(models.size() * methods));
  for (const ModelFile& model : models) {
    if (options.control.stop.stop_requested() || !all.add(model, stage)) break;
  }
  return std::move(all).all();
}

}  // namespace fgnn::folders
