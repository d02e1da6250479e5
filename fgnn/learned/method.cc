#include "fgnn/learned/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "fgnn/core/budget.h"
#include "fgnn/core/error.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/bp/schedule.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/method_sources.h"
#include "fgnn/infer/repair.h"
#include "fgnn/learned/pair_budget.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/model.h"
#include "fgnn/network/run.h"
#include "fgnn/neuralize/compile.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/table.h"

namespace fgnn::learned {
namespace {

constexpr std::size_t kWidestTable = 16;  // budgets are looked for in tables up to this arity

// The k of "at most k ones of n", if these are the values of the counts 0 .. n.
std::optional<std::size_t> most_allowed(std::size_t n, const auto& value_of_count) {
  std::size_t k = 0;
  if (value_of_count(0) != 0) return std::nullopt;
  while (k < n && value_of_count(k + 1) == 0) ++k;
  for (std::size_t count = k + 1; count <= n; ++count) {
    if (value_of_count(count) != kForbidden) return std::nullopt;
  }
  return k;
}

std::optional<std::size_t> budget(const FactorGraph& graph, FactorId c) {
  const std::size_t n = graph.arity(c);
  if (const auto* count = graph.potential(c).stored().counting) {
    for (std::size_t j = 0; j < n; ++j) {
      if (!count->is_chosen(j, 1) || count->is_chosen(j, 0)) return std::nullopt;
    }
    return most_allowed(n, [&](std::size_t k) { return count->value(k); });
  }
  if (n > kWidestTable) return std::nullopt;
  const Table table = expand(graph, c);
  std::vector<double> by_count(n + 1);
  std::vector<bool> seen(n + 1);
  for (std::size_t x = 0; x < table.values().size(); ++x) {
    const auto ones = static_cast<std::size_t>(std::popcount(x));
    if (seen[ones] && by_count[ones] != table.values()[x]) return std::nullopt;
    by_count[ones] = table.values()[x];
    seen[ones] = true;
  }
  return most_allowed(n, [&](std::size_t k) { return by_count[k]; });
}

[[noreturn]] void not_of_family(const FactorGraph& graph, FactorId c, const char* why) {
  throw Error(ErrorCode::unsupported, graph.describe(c), why,
              "the network knows pairs and budgets of binary variables");
}

// Networks learned scopes in the order of the variables; files may have any.
void add_budget(const FactorGraph& graph, FactorId c, std::size_t most, std::size_t widest,
                PairBudget& all) {
  if (graph.arity(c) > widest) not_of_family(graph, c, "is a wider budget than it learned");
  std::vector<VariableId> scope(graph.scope(c).begin(), graph.scope(c).end());
  std::ranges::sort(scope);
  all.budget(scope, most);
}

void add_pair(const FactorGraph& graph, FactorId c, PairBudget& all) {
  if (graph.arity(c) != 2) not_of_family(graph, c, "is neither a pair nor a budget");
  const Table table = expand(graph, c);
  std::vector<double> values(table.values().begin(), table.values().end());
  for (const double x : values) {
    if (!std::isfinite(x)) not_of_family(graph, c, "forbids a pair of states");
  }
  auto [first, second] = std::pair(graph.scope(c)[0], graph.scope(c)[1]);
  if (first > second) {
    std::swap(first, second);
    std::swap(values[1], values[2]);
  }
  all.pair(first, second, values);
}

// The best state of those that are not ruled out; the best of all where all are.
State best_allowed(std::span<const double> unary, std::span<const double> row) {
  std::size_t best = 0;
  for (std::size_t x = 1; x < row.size(); ++x) {
    const bool allowed = unary[x] != kForbidden, was = unary[best] != kForbidden;
    if (allowed != was ? allowed : row[x] > row[best]) best = x;
  }
  return static_cast<State>(best);
}

// A network that gives every variable a number per state. A runner has one set of buffers, so that
// calls take turns.
class LearnedMethod {
 public:
  LearnedMethod(network::Model model, const std::string& file)
      : model_(std::move(model)), forbidden_(neuralize::forbidden_below(model_, file)) {
    // Compiled algorithms are run as precisely as the algorithms are.
    if (model_.metadata.contains("algorithm")) {
      double_runner_ = std::make_unique<network::Runner<double>>(model_);
    } else {
      fast_ = std::make_unique<network::Runner<float>>(model_);
    }
  }

  Result map(const FactorGraph& given, const MethodOptions& options, const Evidence& evidence) {
    const Stopwatch watch;
    const Deadline deadline(options.time_limit, watch, options.control.stop);
    const FactorGraph graph = given.given(evidence);
    Result result;
    describe(result);
    for_each_variable(graph, Budget("fgnn", options.max_bytes, deadline), result,
                      [&](VariableId v, std::span<const double> row) {
                        result.assignment.push_back(best_allowed(graph.unary(v), row));
                      });
    if (!options.rounding || *options.rounding == Rounding::repair) {
      Repair repaired = repair(graph, std::move(result.assignment), options.seed, deadline);
      result.assignment = std::move(repaired.assignment);
    }
    if (graph.score(result.assignment) == kForbidden) bp::refute(graph, deadline, result);
    result.seconds = watch.seconds();
    return finish_map(graph, std::move(result));
  }

  Result infer(const FactorGraph& given, const MethodOptions& options, const Evidence& evidence) {
    const Stopwatch watch;
    const Deadline deadline(options.time_limit, watch, options.control.stop);
    const FactorGraph graph = given.given(evidence);
    Result result;
    describe(result);
    result.marginals = Marginals(graph);
    for_each_variable(graph, Budget("fgnn", options.max_bytes, deadline), result,
                      [&](VariableId v, std::span<const double> row) {
                        if (!normalise(row, graph.unary(v), result.marginals[v])) {
                          result.status = Status::diverged;
                        }
                      });
    // A network has a row of numbers for every variable, whatever is forbidden.
    bp::refute(graph, deadline, result);
    result.seconds = watch.seconds();
    return finish_marginals(graph, std::move(result));
  }

 private:
  // Beliefs of log-beliefs; false where the compiled algorithm left no state, or ran away.
  bool normalise(std::span<const double> row, std::span<const double> unary,
                 std::span<double> to) const {
    const double top = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (std::size_t x = 0; x < row.size(); ++x) {
      const bool none = row[x] - top < forbidden_ || unary[x] == kForbidden;
      sum += to[x] = none ? 0 : std::exp(row[x] - top);
    }
    const bool sound = sum > 0 && std::isfinite(sum);
    for (double& p : to) p = sound ? p / sum : 0;
    return sound;
  }

  // Calls use(variable, log-beliefs of its states). The result is told when they are not numbers.
  template <class Use>
  void for_each_variable(const FactorGraph& graph, Budget budget, Result& result, Use use) {
    if (graph.num_variables() == 0) return;  // nothing to ask a network
    if (double_runner_) check_budgets(graph);
    // Features of nodes and edges, and where the edges lead.
    constexpr std::uint64_t kNode = 64, kEdge = 48;
    budget.take(kNode * (graph.num_variables() + graph.num_factors()) + kEdge * graph.num_edges());
    budget.check_time();
    const network::Batch batch = neuralize::is_compiled(model_)
                                     ? neuralize::features(graph, model_)
                                     : features_of(graph, model_.description.schema);
    const std::lock_guard lock(mutex_);
    std::vector<double> logits;
    if (double_runner_) {
      const auto out = double_runner_->run(batch, 1, budget);
      logits.assign(out.begin(), out.end());
    } else {
      const auto out = fast_->run(batch, 1, budget);
      logits.assign(out.begin(), out.end());
    }
    const std::size_t width = logits.size() / graph.num_variables();
    for (VariableId v = 0; v < graph.num_variables(); ++v) {
      const auto row = std::span<const double>(logits).subspan(v * width, graph.states(v));
      const auto ran_away = [](double x) { return std::isnan(x) || x == kInfinity; };
      if (result.status != Status::diverged && std::ranges::any_of(row, ran_away)) {
        result.status = Status::diverged;
        result.message =
            fmt::format("the network's numbers for {} are not finite: its weights are too large",
                        graph.name(v));
      }
      use(v, row);
    }
  }

  // Budgets of a compiled family are sums of terms over all their variables (neuralize/family.h).
  void check_budgets(const FactorGraph& graph) const {
    if (neuralize::is_compiled(model_)) return;
    const auto& relations = model_.description.schema.relations;
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      if (graph.arity(c) > 2 && relations.size() > 1 && graph.arity(c) != relations[1].kinds) {
        not_of_family(graph, c, "is a budget of another width than it was compiled for");
      }
    }
  }

  void describe(Result& result) const {
    result.method = "fgnn";
    const auto iterations = model_.metadata.find("iterations");
    if (iterations != model_.metadata.end()) {
      result.iterations = std::strtoull(iterations->second.c_str(), nullptr, 10);
    }
    // A compiled algorithm stops after its iterations, whether it has converged or not.
    result.status = double_runner_ ? Status::iteration_limit : Status::converged;
  }

  network::Model model_;
  double forbidden_;  // log-beliefs below it, beside the best, stand for zero
  std::unique_ptr<network::Runner<float>> fast_;
  std::unique_ptr<network::Runner<double>> double_runner_;
  std::mutex mutex_;
};

}  // namespace

network::Batch features_of(const FactorGraph& graph, const network::Schema& schema) {
  const auto& kinds = schema.relations;
  const bool fits = schema.variable_features == 2 && !kinds.empty() && kinds[0].name == "pair" &&
                    kinds[0].factor_features == 4 &&
                    (kinds.size() == 1 || (kinds.size() == 2 && kinds[1].name == "budget"));
  if (!fits) {
    throw Error(ErrorCode::unsupported, "network", "was not trained on chains with budgets");
  }
  const std::size_t widest = kinds.size() == 2 ? kinds[1].kinds : 0;
  PairBudget all(widest);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    if (graph.states(v) != 2) {
      throw Error(ErrorCode::unsupported, graph.name(v), "is not binary",
                  "the network knows pairs and budgets of binary variables");
    }
    // Observed variables: large enough to decide, small enough for a network.
    all.variable(std::max(graph.unary(v)[0], -20.0), std::max(graph.unary(v)[1], -20.0));
  }
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    if (const auto most = budget(graph, c); most && *most < graph.arity(c)) {
      add_budget(graph, c, *most, widest, all);
    } else if (!most || graph.arity(c) == 2) {  // a budget that allows everything says nothing
      add_pair(graph, c, all);
    }
  }
  auto structure = all.structure();
  return std::move(all).batch(std::move(structure));
}

Method learned_method(Query query, const std::string& file) {
  network::Model model = load_network(file);
  const bool algorithm = model.metadata.contains("algorithm");
  if (query == Query::infer && (!algorithm || model.metadata.at("algorithm") != "sum-product")) {
    throw Error(ErrorCode::unsupported, "fgnn:" + file, "finds assignments, not marginals",
                "use it with fgnn map or fgnn compare");
  }
  auto learned = std::make_shared<LearnedMethod>(std::move(model), file);
  return {"fgnn:" + file,
          query,
          algorithm ? "a network compiled from an algorithm" : "a trained network",
          "linear in edges",
          "none",
          query == Query::map ? std::vector<std::string>{"rounding"} : std::vector<std::string>{},
          [learned, query](const FactorGraph& graph, const MethodOptions& options,
                           const Evidence& evidence) {
            return query == Query::map ? learned->map(graph, options, evidence)
                                       : learned->infer(graph, options, evidence);
          }};
}

}  // namespace fgnn::learned

std::vector<std::pair<std::string, fgnn::MethodSource>> fgnn::own_method_sources() {
  return {{"fgnn", learned::learned_method}, {"neuralized", learned::learned_method}};
}
