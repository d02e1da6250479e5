// The optimum of the models of a folder, proved: `fgnn map --method auto` against toulbar2.
//
// Both are programs that are started, read the same file and end, on one thread each, turn by turn.
// The file has one table for each set of variables (io/toulbar2.h) and the evidence in it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/suite.h"
#include "fgnn/core/error.h"
#include "fgnn/core/warning.h"
#include "fgnn/experiments/data.h"
#include "fgnn/experiments/folders/model_files.h"
#include "fgnn/io/files.h"
#include "fgnn/io/outside_program.h"
#include "fgnn/io/toulbar2.h"
#include "fgnn/report/json.h"

namespace fgnn::bench {
namespace {

constexpr double kSameScore = 1e-4;  // of 1 + |score|: toulbar2 rounds costs

const experiments::DataSource kModels{"a folder of UAI models", "uai", "the UAI 2014 competition"};

struct Attempt {
  bool proved = false;
  double seconds = kInfinity;
  double score = kForbidden;  // on the graph that was given

  // The fastest of several counts, and a proof counts before none.
  void keep_better(const Attempt& other) {
    if (std::pair(!other.proved, other.seconds) < std::pair(!proved, seconds)) *this = other;
  }
};

double score_of(const FactorGraph& graph, const std::vector<State>& assignment) {
  return assignment.size() == graph.num_variables() ? graph.score(assignment) : kForbidden;
}

Attempt ours(const FactorGraph& graph, const std::filesystem::path& file, double limit) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const Stopwatch watch;
  const auto said = output_of(
      fmt::format("{} map {} --from uai --method auto --threads 1 --time-limit {} --json; true",
                  shell_word(program), shell_word(file), limit));
  Attempt attempt;
  attempt.seconds = watch.seconds();
  const Json answer = Json::parse(said.value_or(""), nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return attempt;
  const std::string status = answer.value("status", "");
  attempt.proved = status == "exact" || status == "infeasible";
  attempt.score = score_of(graph, answer.value("assignment", std::vector<State>{}));
  return attempt;
}

Attempt theirs(const FactorGraph& graph, const std::filesystem::path& file, double limit) {
  const Toulbar2Answer answer = run_toulbar2(file, {.time_limit = limit});
  return {answer.proved || answer.infeasible, answer.seconds, score_of(graph, answer.assignment)};
}

struct Pair {
  Attempt own, other;

  bool level() const { return own.proved && (!other.proved || own.seconds <= other.seconds); }
};

Pair measure(const folders::ModelFile& model, const SuiteOptions& options) {
  const double limit = options.quick ? 5 : 60;
  FactorGraph graph = read_graph(model.path);
  if (!model.evidence.empty()) graph = graph.given(read_evidence(graph, model.evidence));
  const ScratchFolder folder;
  const auto file = folder.path() / "model.uai";
  write_graph(with_one_table_per_scope(graph), file);
  Pair best;
  for (int turn = 0; turn < (options.quick ? 1 : 3); ++turn) {
    best.own.keep_better(ours(graph, file, limit));
    best.other.keep_better(theirs(graph, file, limit));
    if (!best.own.proved && !best.other.proved) break;  // nor will they in another minute
  }
  const double difference = std::abs(best.own.score - best.other.score);
  if (best.own.proved && best.other.proved && best.own.score != best.other.score &&
      !(difference <= kSameScore * (1 + std::abs(best.other.score)))) {
    throw Error(ErrorCode::internal, model.name,
                fmt::format("fgnn proves {}, toulbar2 {}", best.own.score, best.other.score));
  }
  return best;
}

Row row_of(const std::string& model, const Pair& pair) {
  const char* const unproved = pair.own.proved     ? (pair.other.proved ? "" : ", by fgnn alone")
                               : pair.other.proved ? ", by toulbar2 alone"
                                                   : ", by neither";
  return {model + unproved, 1e3 * pair.own.seconds, "ms", 1e3 * pair.other.seconds, "toulbar2"};
}

}  // namespace

std::vector<Row> run_proofs(const SuiteOptions& options) {
  const std::string data = options.data.empty() ? experiments::usual_data(kModels) : options.data;
  if (!have_toulbar2()) {
    warn("bench proofs", "skipped: toulbar2 is not installed (Debian's package toulbar2)");
    return {};
  }
  if (data.empty()) {
    warn("bench proofs", "skipped: there are no models; name a folder of them with --data");
    return {};
  }
  const auto models = folders::find_models({data});
  Stage stage(options.control, "proofs", static_cast<double>(models.size()));
  std::vector<Row> rows;
  std::size_t level = 0;
  for (const folders::ModelFile& model : models) {
    const Pair pair = measure(model, options);
    level += pair.level();
    rows.push_back(row_of(model.name, pair));
    stage.advance();
  }
  rows.push_back({.name = "models on which fgnn is at least level",
                  .value = static_cast<double>(level),
                  .unit = "models",
                  .baseline = static_cast<double>(models.size()),
                  .baseline_name = "all of them",
                  .more_is_better = true});
  return rows;
}

}  // namespace fgnn::bench
