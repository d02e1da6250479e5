#include "fgnn/infer/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/timing.h"
#include "fgnn/core/units.h"
#include "fgnn/infer/exact/buckets.h"
#include "fgnn/infer/exact/order.h"
#include "fgnn/infer/exact/passes.h"
#include "fgnn/infer/exact/problem.h"
#include "fgnn/infer/exact/prune.h"
#include "fgnn/infer/finish.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

struct Draft {
  exact::Problem problem;
  exact::Order order;
};

Draft draft(const FactorGraph& graph, const exact::Domains& domains, ExactTask task,
            const ExactOptions& options, const Deadline& deadline, std::uint64_t expand_up_to) {
  Draft result;
  result.problem = exact::restate(graph, domains, task, expand_up_to);
  std::vector<double> log2_states;
  for (const auto& v : result.problem.variables) log2_states.push_back(std::log2(v.states));
  exact::InteractionGraph interactions(std::move(log2_states));
  for (const auto& source : result.problem.sources) interactions.join(source.variables);
  interactions.finish();
  result.order = exact::best_order(interactions, options.orders, options.seed, deadline);
  return result;
}

// Structured potentials may be read as they are (their scope then becomes part of one clique) or
// become counters. Which is cheaper depends on the whole graph: try several thresholds.
Draft best_draft(const FactorGraph& graph, const exact::Domains& domains, ExactTask task,
                 const ExactOptions& options, const Deadline& deadline) {
  std::uint64_t largest = 0;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const std::uint64_t entries = configurations(graph.shape(c));
    if (entries > largest && exact::has_structure(graph, c, task)) largest = entries;
  }
  std::optional<Draft> best;
  for (const std::uint64_t threshold :
       {std::uint64_t{1} << 20, std::uint64_t{256}, std::uint64_t{8}}) {
    const bool nothing_new = best && largest <= threshold;
    if (nothing_new) continue;
    Draft next = draft(graph, domains, task, options, deadline, threshold);
    const bool better = !best || (next.order.complete && !best->order.complete) ||
                        (next.order.complete == best->order.complete &&
                         next.order.operations < best->order.operations);
    if (better) best = std::move(next);
  }
  return std::move(*best);
}

ExactCost cost_of(const Draft& draft, ExactTask task) {
  ExactCost cost;
  cost.induced_width = draft.order.width;
  cost.log2_largest = draft.order.log2_largest;
  cost.operations = draft.order.operations;
  // Marginals keep a posterior beside every message.
  const double bytes = draft.order.message_entries * (task == ExactTask::marginals ? 16 : 8);
  cost.bytes = bytes < 1.8e19 ? static_cast<std::uint64_t>(bytes) : kAll;
  for (const auto& v : draft.problem.variables) cost.extra_variables += v.original == exact::kExtra;
  cost.hopeless = !draft.order.complete;
  return cost;
}

void check_width(const ExactCost& cost, const ExactOptions& options, const Deadline& deadline) {
  if (!cost.hopeless && cost.bytes <= options.max_bytes) return;
  if (cost.hopeless && deadline.expired()) {
    throw Error(ErrorCode::time_limit, "exact", "the time limit was reached while planning",
                "allow more time or use an approximate method");
  }
  const char* least = cost.hopeless ? "at least " : "";
  throw Error(ErrorCode::too_wide, "exact",
              fmt::format("too_wide: the best elimination order found has induced width {}{} "
                          "(largest table 2^{:.1f} entries) and needs {}{}, the limit is {}",
                          least, cost.induced_width, cost.log2_largest, least,
                          bytes_text(static_cast<double>(cost.bytes)),
                          bytes_text(static_cast<double>(options.max_bytes))),
              "allow more memory, try more orders, or use an approximate method");
}

// Methods of a plan finish on the graph they are given, which has the evidence folded in.
enum class Goal { marginals, map };

Result finished(const FactorGraph& graph, Result result, Goal goal, const Stopwatch& watch) {
  result.method = "exact";
  result.seconds = watch.seconds();
  return goal == Goal::map ? finish_map(graph, std::move(result))
                           : finish_marginals(graph, std::move(result));
}

}  // namespace

void ExactOptions::validate() const {
  if (orders < 1) throw Error(ErrorCode::usage, "orders", "must be at least 1");
  if (threads < 0) throw Error(ErrorCode::usage, "threads", "must be 0 (all) or more");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

struct ExactPlan::Impl {
  FactorGraph graph;
  ExactTask task;
  ExactOptions options;
  exact::Domains domains;
  ExactCost cost;
  exact::Problem problem;
  exact::Buckets buckets;
  bool pruned = false;

  // The numbers of every source, taken from a graph; `owned` holds those that had to be made.
  struct Data {
    std::vector<const double*> of_source;
    std::vector<std::vector<double>> owned;
    std::deque<Table> expanded;
    double loose = 0;
  };

  // Refuses a graph that the plan was not made for.
  void check_fit(const FactorGraph& g) const {
    const auto refuse = [](std::string subject, std::string message) {
      throw Error(ErrorCode::model, std::move(subject), std::move(message),
                  "make a new plan, or one with prune = false");
    };
    if (!g.same_structure(graph)) refuse("exact plan", "was made for a graph of another structure");
    if (pruned) {
      if (!g.shares_potentials(graph)) refuse("exact plan", "was pruned for other potentials");
      for (std::size_t i = 0; i < graph.unaries().size(); ++i) {
        if (graph.unaries()[i] == kForbidden && g.unaries()[i] != kForbidden) {
          refuse("exact plan", "was pruned for evidence that this graph does not have");
        }
      }
    }
    if (g.shares_potentials(graph)) return;
    for (FactorId c : problem.counters) {
      if (!g.potential(c).equals(graph.potential(c))) {
        refuse(g.describe(c), "differs from the potential that the plan turned into a counter");
      }
    }
  }

  const double* table_of(const FactorGraph& g, FactorId c, Data& data) const {
    if (const auto* table = dynamic_cast<const Table*>(&g.potential(c))) {
      return table->values().data();
    }
    return data.expanded.emplace_back(expand(g, c)).values().data();
  }

  const double* counts_of(const FactorGraph& g, FactorId c, Data& data) const {
    const auto* count = dynamic_cast<const Count*>(&g.potential(c));
    const auto& planned = dynamic_cast<const Count&>(graph.potential(c));
    if (count == nullptr || count->chosen() != planned.chosen()) {
      throw Error(ErrorCode::model, g.describe(c), "the plan was made for a count of other states",
                  "make a new plan");
    }
    auto& values = data.owned.emplace_back(g.arity(c) + 1);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = count->value(k);
    return values.data();
  }

  const double* parities_of(const FactorGraph& g, FactorId c, Data& data) const {
    const auto* parity = dynamic_cast<const Parity*>(&g.potential(c));
    if (parity == nullptr) {
      throw Error(ErrorCode::model, g.describe(c), "the plan was made for a parity check",
                  "make a new plan");
    }
    auto& values = data.owned.emplace_back(g.arity(c) + 1);
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = (k % 2 == 1) == parity->odd() ? 0.0 : kForbidden;
    }
    return values.data();
  }

  Data data(const FactorGraph& g) const {
    Data result;
    result.of_source.reserve(problem.sources.size());
    for (const exact::Source& source : problem.sources) {
      const double* numbers = nullptr;
      switch (source.kind) {
        case exact::Source::Kind::unary:
          numbers = g.unary(source.subject).data();
          break;
        case exact::Source::Kind::table:
          numbers = table_of(g, source.subject, result);
          break;
        case exact::Source::Kind::count:
          numbers = counts_of(g, source.subject, result);
          break;
        case exact::Source::Kind::parity:
          numbers = parities_of(g, source.subject, result);
          break;
        case exact::Source::Kind::fixed:
          numbers = source.values.data();
          break;
      }
      result.of_source.push_back(numbers);
    }
    for (std::uint32_t s : buckets.loose_sources) {
      result.loose += result.of_source[s][problem.sources[s].base];
    }
    return result;
  }

  exact::Pass pass(const Data& data) const {
    const int threads = options.threads == 0 ? default_threads() : options.threads;
    return {buckets, data.of_source, threads, Deadline(options.time_limit)};
  }

  std::vector<State> assignment(const exact::Best& best) const {
    std::vector<State> x = problem.only_state;
    for (VariableId v = 0; v < x.size(); ++v) {
      if (const auto id = problem.of[v]) x[v] = problem.domain[*id][best.states[*id]];
    }
    return x;
  }
};

ExactPlan::ExactPlan(const FactorGraph& graph, ExactTask task, const ExactOptions& options)
    : impl_(std::make_unique<Impl>()) {
  options.validate();
  impl_->graph = graph;
  impl_->task = task;
  impl_->options = options;
  impl_->domains = exact::domains(graph, options.prune);
  if (!impl_->domains.contradiction.empty()) return;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    impl_->pruned |= impl_->domains.allowed[v].size() != graph.states(v);
  }
  const Deadline deadline(options.time_limit);
  Draft chosen = best_draft(graph, impl_->domains, task, options, deadline);
  impl_->cost = cost_of(chosen, task);
  check_width(impl_->cost, options, deadline);
  impl_->problem = std::move(chosen.problem);
  impl_->buckets = exact::make_buckets(impl_->problem, chosen.order.sequence);
}

ExactPlan::~ExactPlan() = default;
ExactPlan::ExactPlan(ExactPlan&&) noexcept = default;
ExactPlan& ExactPlan::operator=(ExactPlan&&) noexcept = default;

const ExactCost& ExactPlan::cost() const { return impl_->cost; }

Result ExactPlan::marginals(const FactorGraph& graph) const {
  const Stopwatch watch;
  if (impl_->task != ExactTask::marginals) {
    throw Error(ErrorCode::usage, "exact plan", "was not made for marginals");
  }
  impl_->check_fit(graph);
  const auto answer = [&](Result result) {
    return finished(graph, std::move(result), Goal::marginals, watch);
  };
  if (!impl_->domains.contradiction.empty()) {
    return answer(infeasible(impl_->domains.contradiction));
  }
  const auto data = impl_->data(graph);
  const auto pass = impl_->pass(data);
  const auto up = exact::upward(pass, exact::Semiring::sum);
  const double log_z = up.total + data.loose + graph.constant();
  if (log_z == kForbidden) return answer(infeasible({}));

  Result result;
  result.log_partition = log_z;
  result.marginals = Marginals(graph);
  const auto posterior = exact::backward(pass, up);
  for (std::size_t b = 0; b < posterior.size(); ++b) {
    const exact::Id id = impl_->buckets.buckets[b].variable;
    const VariableId v = impl_->problem.variables[id].original;
    if (v == exact::kExtra) continue;
    const auto& domain = impl_->problem.domain[id];
    for (std::size_t i = 0; i < domain.size(); ++i) {
      result.marginals[v][domain[i]] = posterior[b][i];
    }
  }
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    if (!impl_->problem.of[v]) result.marginals[v][impl_->problem.only_state[v]] = 1;
  }
  return answer(std::move(result));
}

Result ExactPlan::map(const FactorGraph& graph, std::size_t k) const {
  if (k == 0) throw Error(ErrorCode::usage, "k", "must be above zero");
  const Stopwatch watch;
  const ExactTask needed = k > 1 ? ExactTask::k_best : ExactTask::map;
  if (impl_->task != needed && impl_->task != ExactTask::k_best) {
    throw Error(ErrorCode::usage, "exact plan",
                k > 1 ? "was not made for the k best assignments" : "was not made for MAP");
  }
  impl_->check_fit(graph);
  const auto answer = [&](Result result) {
    return finished(graph, std::move(result), Goal::map, watch);
  };
  if (!impl_->domains.contradiction.empty()) {
    return answer(infeasible(impl_->domains.contradiction));
  }
  const auto data = impl_->data(graph);
  if (data.loose == kForbidden) return answer(infeasible({}));
  const auto pass = impl_->pass(data);
  const auto up = exact::upward(pass, exact::Semiring::max);
  const auto found = exact::best(pass, up, k);
  if (found.empty()) return answer(infeasible({}));

  Result result;
  const double constant = data.loose + graph.constant();
  result.assignment = impl_->assignment(found.front());
  result.bound = found.front().score + constant;
  if (k > 1) {
    for (const auto& best : found) {
      result.solutions.push_back({impl_->assignment(best), best.score + constant});
    }
  }
  return answer(std::move(result));
}

Result exact_marginals(const FactorGraph& graph, const ExactOptions& options,
                       const Evidence& evidence) {
  const Stopwatch watch;
  const FactorGraph given = graph.given(evidence);
  Result result = ExactPlan(given, ExactTask::marginals, options).marginals(given);
  result.seconds = watch.seconds();
  return result;
}

Result exact_map(const FactorGraph& graph, const ExactOptions& options, const Evidence& evidence,
                 std::size_t k) {
  const Stopwatch watch;
  const FactorGraph given = graph.given(evidence);
  const ExactTask task = k > 1 ? ExactTask::k_best : ExactTask::map;
  Result result = ExactPlan(given, task, options).map(given, k);
  result.seconds = watch.seconds();
  return result;
}

ExactCost exact_cost(const FactorGraph& graph, ExactTask task, const ExactOptions& options) {
  options.validate();
  const exact::Domains domains = exact::domains(graph, options.prune);
  if (!domains.contradiction.empty()) return {};
  return cost_of(best_draft(graph, domains, task, options, Deadline(options.time_limit)), task);
}

}  // namespace fgnn
