#include "fgnn/infer/exact/draft.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "fgnn/core/parallel.h"
#include "fgnn/infer/exact/cutset.h"
#include "fgnn/infer/exact/numbers.h"
#include "fgnn/infer/exact/passes.h"

namespace fgnn::exact {
namespace {

Draft draft(const FactorGraph& graph, const Domains& domains, ExactTask task,
            const ExactOptions& options, Budget& budget, std::uint64_t expand_up_to) {
  Draft result{Hold(budget), {}, {}, {}, {}};
  result.hold.take(planning_bytes(graph, domains, task, expand_up_to));
  result.problem = restate(graph, domains, task, expand_up_to, budget);
  result.order =
      best_order(interactions_of(result.problem, budget), effort_of(task, options, budget));
  return result;
}

// Of messages, and what is kept beside them. Figures of an order that was given up are what it had
// seen: less than it needs.
double message_bytes(const Draft& draft, ExactTask task) {
  constexpr double kEach = sizeof(double);
  if (!draft.order.complete) return kEach * draft.order.message_entries;
  const Tree& tree = draft.tree;
  switch (task) {
    case ExactTask::marginals:
      return kEach * (tree.kept_entries + tree.live_entries);  // and posteriors
    case ExactTask::map:
      return kEach * tree.live_entries + tree.choice_bytes;
    default:
      return kEach * tree.kept_entries;
  }
}

}  // namespace

Effort effort_of(ExactTask task, const ExactOptions& options, const Budget& budget) {
  const double per_entry = task == ExactTask::marginals ? 16 : 8;
  return {.tries = options.orders,
          .seed = options.seed,
          .enough_entries = static_cast<double>(options.max_bytes) / per_entry,
          .seconds = options.order_seconds,
          .stop = options.control.stop,
          .deadline = budget.deadline()};
}

InteractionGraph interactions_of(const Problem& problem, const Budget& budget) {
  std::vector<double> log2_states;
  for (const auto& v : problem.variables) log2_states.push_back(std::log2(v.states));
  InteractionGraph interactions(std::move(log2_states));
  TimeCheck time(budget.deadline());
  std::vector<Id> scope;
  for (const auto& source : problem.sources) {
    scope.clear();
    for (const auto& axis : source.axes) scope.push_back(axis.variable);
    interactions.join(scope);
    if (time.late(8 * (1 + scope.size() * scope.size()))) budget.check_time();
  }
  interactions.finish();
  return interactions;
}

// Structured potentials may be read as they are (their scope then becomes part of one clique) or
// become counters. Which is cheaper depends on the whole graph: try several thresholds.
Draft best_draft(const FactorGraph& graph, const Domains& domains, ExactTask task,
                 const ExactOptions& options, Budget& budget) {
  std::uint64_t largest = 0;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const std::uint64_t entries = configurations(graph.shape(c));
    if (entries > largest && has_structure(graph, c, task)) largest = entries;
  }
  std::optional<Draft> best;
  for (const std::uint64_t threshold :
       {std::uint64_t{1} << 20, std::uint64_t{256}, std::uint64_t{8}}) {
    const bool nothing_new = best && largest <= threshold;
    if (nothing_new) continue;
    Draft next = draft(graph, domains, task, options, budget, threshold);
    const bool better = !best || (next.order.complete && !best->order.complete) ||
                        (next.order.complete == best->order.complete &&
                         next.order.operations < best->order.operations);
    if (better) best = std::move(next);
    if (budget.deadline().expired()) break;
  }
  if (best->order.complete) {
    best->tree = make_tree(best->problem, best->order.sequence, budget);
  }
  const bool fits = best->order.complete &&
                    cost_of(*best, graph, domains, task, options).bytes <= options.max_bytes;
  const bool may_condition = options.max_branches > 1 && task != ExactTask::k_best;
  if (!fits && may_condition && !budget.deadline().expired()) {
    condition(*best, graph, domains, task, options, budget);
  }
  return std::move(*best);
}

// Everything that solving holds at once: messages with posteriors or choices, the numbers that are
// made, blocks at work, and the plan itself.
ExactCost cost_of(const Draft& draft, const FactorGraph& graph, const Domains& domains,
                  ExactTask task, const ExactOptions& options) {
  ExactCost cost;
  cost.induced_width = draft.order.width;
  cost.log2_largest = draft.order.log2_largest;
  for (Id id : draft.cut) cost.branches *= draft.problem.variables[id].states;
  cost.conditioned = draft.cut.size();
  cost.operations = cost.branches * draft.order.operations;
  for (const auto& v : draft.problem.variables) cost.extra_variables += v.original == kExtra;
  cost.hopeless = !draft.order.complete;
  State most = 0;
  for (const auto& allowed : domains.allowed) {
    most = std::max(most, static_cast<State>(allowed.size()));
  }
  const bool marginals = task == ExactTask::marginals;
  const int threads = options.threads == 0 ? default_threads() : options.threads;
  const double bytes =
      message_bytes(draft, task) + static_cast<double>(Numbers(graph, draft.problem).bytes()) +
      static_cast<double>(scratch_bytes(most, threads)) +
      static_cast<double>(draft.hold.bytes() + domain_bytes(graph)) +
      (marginals ? 2 * sizeof(double) * static_cast<double>(graph.total_states()) : 0);
  cost.bytes = bytes < 1.8e19 ? static_cast<std::uint64_t>(bytes) : Budget::kNoLimit;
  return cost;
}

}  // namespace fgnn::exact
