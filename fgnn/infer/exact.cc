#include "fgnn/infer/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "fgnn/core/budget.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/timing.h"
#include "fgnn/core/units.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/exact/branches.h"
#include "fgnn/infer/exact/buckets.h"
#include "fgnn/infer/exact/draft.h"
#include "fgnn/infer/exact/numbers.h"
#include "fgnn/infer/exact/passes.h"
#include "fgnn/infer/exact/problem.h"
#include "fgnn/infer/finish.h"

namespace fgnn {
namespace {

// A plan of less is made in any case: only then is it known what solving needs.
constexpr std::uint64_t kAlwaysPlanned = std::uint64_t{1} << 20;

void check_width(const ExactCost& cost, const ExactOptions& options, const Budget& budget) {
  if (!cost.hopeless && cost.bytes <= options.max_bytes) return;
  if (cost.hopeless) budget.check_time();
  const char* least = cost.hopeless ? "at least " : "";
  throw Error(ErrorCode::too_wide, "exact",
              fmt::format("too_wide: the best elimination order found has induced width {}{} "
                          "(largest table 2^{:.1f} entries) and needs {}{}, the limit is {}",
                          least, cost.induced_width, cost.log2_largest, least,
                          bytes_text(static_cast<double>(cost.bytes)),
                          bytes_text(static_cast<double>(options.max_bytes))),
              "allow more --memory, --branches or --order-time, or use --method auto");
}

// Methods of a plan finish on the graph they are given, which has the evidence folded in.
enum class Goal { marginals, map };

Result finished(const FactorGraph& graph, Result result, Goal goal, const Stopwatch& watch) {
  result.method = "exact";
  result.seconds = watch.seconds();
  return goal == Goal::map ? finish_map(graph, std::move(result))
                           : finish_marginals(graph, std::move(result));
}

Deadline deadline_of(const ExactOptions& options, Stopwatch since = {}) {
  return Deadline(options.time_limit, since, options.control.stop);
}

Budget planning_budget(const ExactOptions& options) {
  return Budget("exact", std::max(options.max_bytes, kAlwaysPlanned), deadline_of(options));
}

}  // namespace

Fields fields(const ExactOptions& o) {
  return Fields()
      .add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("orders", o.orders)
      .add("order time", o.order_seconds)
      .add("branches", o.max_branches)
      .add("seed", o.seed)
      .add("threads", o.threads)
      .add("prune", o.prune)
      .add("time limit", o.time_limit);
}

void ExactOptions::validate() const {
  if (orders < 1) throw Error(ErrorCode::usage, "orders", "must be at least 1");
  if (max_branches < 1) throw Error(ErrorCode::usage, "branches", "must be at least 1");
  if (!(order_seconds >= 0)) throw Error(ErrorCode::usage, "order time", "must not be negative");
  if (threads < 0) throw Error(ErrorCode::usage, "threads", "must be 0 (all) or more");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

struct ExactPlan::Impl {
  FactorGraph graph;
  ExactTask task;
  ExactOptions options;
  Domains domains;
  ExactCost cost;
  exact::Problem problem;
  std::vector<exact::Id> cut;  // variables that are conditioned on
  exact::Buckets buckets;
  std::uint64_t number_bytes = 0;  // of the numbers that are made for the plan's own graph
  bool pruned = false;
  std::vector<Phase> phases;  // of planning
  KeptOptions kept;
  int threads = 1;

  // The buckets of the best draft. What they need beside it is known only once they are made: where
  // that is too much, the next draft gets less.
  void plan(Budget& budget, PhaseClock& clock) {
    constexpr int kAttempts = 4;
    ExactOptions drafting = options;
    for (int attempt = 1;; ++attempt) {
      clock.begin("orders");
      exact::Draft chosen = exact::best_draft(graph, domains, task, drafting, budget);
      cost = exact::cost_of(chosen, graph, domains, task, options);
      check_width(cost, options, budget);
      clock.begin("plan");
      const std::uint64_t drafted = chosen.hold.bytes();
      problem = std::move(chosen.problem);
      cut = std::move(chosen.cut);
      buckets =
          exact::make_buckets(problem, chosen.order.sequence, chosen.tree, chosen.hold, budget);
      cost.bytes += chosen.hold.bytes() - drafted;
      const bool last =
          options.max_branches == 1 || task == ExactTask::k_best || attempt == kAttempts;
      if (last || cost.bytes <= options.max_bytes) return check_width(cost, options, budget);
      const std::uint64_t excess = cost.bytes - options.max_bytes;
      drafting.max_bytes -= std::min(drafting.max_bytes / 2, 2 * excess);
    }
  }

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
    for (FactorId c : problem.machines) {
      if (!g.potential(c).equals(graph.potential(c))) {
        refuse(g.describe(c), "differs from the potential that the plan turned into a counter");
      }
    }
    for (const exact::Source& source : problem.sources) {
      if (source.kind == exact::Source::Kind::count && !counts_alike(g, source.subject)) {
        refuse(g.describe(source.subject), "the plan was made for a count of other states");
      }
    }
  }

  // Whether a factor counts the same states as that of the plan, in whichever form they are listed.
  bool counts_alike(const FactorGraph& g, FactorId c) const {
    const Counting* one = g.potential(c).stored().counting;
    const Counting* planned = graph.potential(c).stored().counting;
    if (one == nullptr || one->is_parity() != planned->is_parity()) return false;
    if (one->chosen() == planned->chosen()) return true;
    const auto scope = g.scope(c);
    for (std::size_t j = 0; j < scope.size(); ++j) {
      for (State x = 0; x < g.states(scope[j]); ++x) {
        if (one->is_chosen(j, x) != planned->is_chosen(j, x)) return false;
      }
    }
    return true;
  }

  // What one solve may use, with the plan's own memory taken.
  Budget budget(const std::optional<Deadline>& deadline) const {
    Budget result("exact", std::max(options.max_bytes, cost.bytes),
                  deadline.value_or(deadline_of(options)));
    result.take(cost.bytes);
    return result;
  }

  // The numbers of a graph; those of another graph than the plan's may need more memory.
  void make(exact::Numbers& numbers, Budget& budget) const {
    if (numbers.bytes() > number_bytes) budget.take(numbers.bytes() - number_bytes);
    numbers.make(budget);
  }

  // Sum of the sources without variables.
  double loose(const exact::Numbers& numbers) const {
    double sum = 0;
    for (std::uint32_t s : buckets.loose_sources) {
      if (!problem.sources[s].held.empty()) continue;  // part of a branch
      sum += numbers.at(s, problem.sources[s].base);
    }
    return sum;
  }

  exact::Pass pass(const exact::Numbers& numbers, Budget& budget) const {
    const bool keep = task != ExactTask::map;
    return {buckets, numbers.of_source(), threads, budget, options.control, keep};
  }

  // What both questions begin and end with; compute(pass, loose, clock) answers where there is
  // something to compute, `loose` being the sum of the sources without variables; nothing when it
  // was given up.
  template <class Compute>
  std::optional<Result> solve(const FactorGraph& g, Goal goal,
                              const std::optional<Deadline>& deadline, Compute compute) const {
    const Stopwatch watch;
    PhaseClock clock;
    clock.begin("tables");
    check_fit(g);
    const auto complete = [&](Result result) {
      result.options = kept;
      result.phases = clock.take();
      return finished(g, std::move(result), goal, watch);
    };
    if (!domains.contradiction.empty()) return complete(infeasible(domains.contradiction));
    Budget limits = budget(deadline);
    exact::Numbers numbers(g, problem);
    make(numbers, limits);
    std::optional<Result> result = compute(pass(numbers, limits), loose(numbers), clock);
    if (result) return complete(std::move(*result));
    return std::nullopt;
  }

  // log Z and posteriors, without the sources that have no variables.
  exact::BranchSum summed(const exact::Pass& pass, PhaseClock& clock) const {
    if (!cut.empty()) return exact::sum_of_branches({problem, cut, pass});
    auto up = exact::upward(pass, exact::Semiring::sum);
    if (up.total == kForbidden) return {};
    clock.begin("marginals");
    auto by_bucket = exact::backward(pass, up);
    exact::BranchSum sum{up.total, {}};
    sum.posteriors.resize(problem.variables.size());
    for (std::size_t b = 0; b < by_bucket.size(); ++b) {
      sum.posteriors[buckets.buckets[b].variable] = std::move(by_bucket[b]);
    }
    return sum;
  }

  // The k best, best first; none where every assignment is forbidden.
  std::vector<exact::Best> maxima(const exact::Pass& pass, std::size_t k, PhaseClock& clock) const {
    if (!cut.empty()) {
      auto best = exact::best_of_branches({problem, cut, pass});
      if (best->score == kForbidden) return {};
      return {std::move(*best)};
    }
    const auto up = exact::upward(pass, exact::Semiring::max);
    if (up.total == kForbidden) return {};
    clock.begin("search");
    if (pass.keep) return exact::best(pass, up, k);
    return {exact::best_choice(pass, up)};
  }

  // The k best; nothing when branches take more operations than these.
  std::optional<Result> best(const FactorGraph& g, std::size_t k,
                             const std::optional<Deadline>& deadline, double most) const {
    const auto compute = [&](const exact::Pass& pass, double loose,
                             PhaseClock& clock) -> std::optional<Result> {
      clock.begin("elimination");
      if (loose == kForbidden) return infeasible({});
      std::vector<exact::Best> found;
      if (cut.empty()) {
        found = maxima(pass, k, clock);
      } else {
        auto one = exact::best_of_branches({problem, cut, pass, most});
        if (!one) return std::nullopt;
        if (one->score != kForbidden) found.push_back(std::move(*one));
      }
      if (found.empty()) return infeasible({});

      Result result;
      const double constant = loose + g.constant();
      result.message = conditioning();
      result.assignment = assignment(found.front());
      result.bound = found.front().score + constant;
      if (k > 1) {
        for (const auto& each : found) {
          result.solutions.push_back({assignment(each), each.score + constant});
        }
      }
      return result;
    };
    return solve(g, Goal::map, deadline, compute);
  }

  // What to tell of it.
  std::string conditioning() const {
    if (cut.empty()) return {};
    return fmt::format("conditioned on {} variable{}: {:.10g} branches", cut.size(),
                       cut.size() == 1 ? "" : "s", cost.branches);
  }

  std::vector<State> assignment(const exact::Best& best) const {
    std::vector<State> x = problem.only_state;
    for (VariableId v = 0; v < x.size(); ++v) {
      if (const auto id = problem.of[v]) x[v] = domains.allowed[v][best.states[*id]];
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
  impl_->threads = options.threads == 0 ? default_threads() : options.threads;
  ExactOptions used = options;
  used.threads = impl_->threads;
  impl_->kept = {options, used};
  PhaseClock clock;
  clock.begin("pruning");
  Budget budget = planning_budget(options);
  budget.take(domain_bytes(graph));
  impl_->domains = find_domains(graph, options.prune, budget.deadline());
  if (!impl_->domains.contradiction.empty()) {
    impl_->phases = clock.take();
    return;
  }
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    impl_->pruned |= impl_->domains.allowed[v].size() != graph.states(v);
  }
  impl_->plan(budget, clock);
  impl_->number_bytes = exact::Numbers(graph, impl_->problem).bytes();
  impl_->phases = clock.take();
}

ExactPlan::~ExactPlan() = default;
ExactPlan::ExactPlan(ExactPlan&&) noexcept = default;
ExactPlan& ExactPlan::operator=(ExactPlan&&) noexcept = default;

const ExactCost& ExactPlan::cost() const { return impl_->cost; }
const std::vector<Phase>& ExactPlan::phases() const { return impl_->phases; }

Result ExactPlan::marginals(const FactorGraph& graph, std::optional<Deadline> deadline) const {
  if (impl_->task != ExactTask::marginals) {
    throw Error(ErrorCode::usage, "exact plan", "was not made for marginals");
  }
  return *impl_->solve(
      graph, Goal::marginals, deadline,
      [&](const exact::Pass& pass, double loose, PhaseClock& clock) -> std::optional<Result> {
        clock.begin("elimination");
        const exact::BranchSum sum = impl_->summed(pass, clock);
        const double log_z = sum.log_partition + loose + graph.constant();
        if (log_z == kForbidden) return infeasible({});
        Result result;
        result.log_partition = log_z;
        result.marginals = Marginals(graph);
        result.message = impl_->conditioning();
        for (exact::Id id = 0; id < sum.posteriors.size(); ++id) {
          const VariableId v = impl_->problem.variables[id].original;
          if (v == exact::kExtra) continue;
          const auto& domain = impl_->domains.allowed[v];
          for (std::size_t i = 0; i < domain.size(); ++i) {
            result.marginals[v][domain[i]] = sum.posteriors[id][i];
          }
        }
        for (VariableId v = 0; v < graph.num_variables(); ++v) {
          if (!impl_->problem.of[v]) result.marginals[v][impl_->problem.only_state[v]] = 1;
        }
        return result;
      });
}

Result ExactPlan::map(const FactorGraph& graph, std::size_t k,
                      std::optional<Deadline> deadline) const {
  if (k == 0) throw Error(ErrorCode::usage, "k", "must be above zero");
  const ExactTask needed = k > 1 ? ExactTask::k_best : ExactTask::map;
  if (impl_->task != needed && impl_->task != ExactTask::k_best) {
    throw Error(ErrorCode::usage, "exact plan",
                k > 1 ? "was not made for the k best assignments" : "was not made for MAP");
  }
  return *impl_->best(graph, k, deadline, kInfinity);
}

std::optional<Result> ExactPlan::narrowly(std::uint64_t bytes, double operations,
                                          const FactorGraph& graph,
                                          const Deadline& deadline) const {
  ExactOptions narrow = impl_->options;
  narrow.max_bytes = bytes;
  narrow.orders = std::min(narrow.orders, 100);
  narrow.order_seconds = 0;
  narrow.time_limit = std::max(deadline.remaining(), 1e-9);
  try {
    const ExactPlan plan(graph, ExactTask::map, narrow);
    auto result = plan.impl_->best(graph, 1, deadline, operations);
    if (result) {
      result->options = impl_->kept;
      const auto& planning = plan.phases();
      result->phases.insert(result->phases.begin(), planning.begin(), planning.end());
    }
    return result;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::too_wide || error.code() == ErrorCode::too_large) return {};
    throw;
  }
}

namespace {

Result with_planning(const ExactPlan& plan, Result result, const Stopwatch& watch) {
  result.phases.insert(result.phases.begin(), plan.phases().begin(), plan.phases().end());
  result.seconds = watch.seconds();
  return result;
}

}  // namespace

Result exact_marginals(const FactorGraph& graph, const ExactOptions& options,
                       const Evidence& evidence) {
  const Stopwatch watch;
  const FactorGraph given = graph.given(evidence);
  const Deadline deadline = deadline_of(options, watch);  // of planning and solving together
  const ExactPlan plan(given, ExactTask::marginals, options);
  return with_planning(plan, plan.marginals(given, deadline), watch);
}

Result exact_map(const FactorGraph& graph, const ExactOptions& options, const Evidence& evidence,
                 std::size_t k) {
  const Stopwatch watch;
  const FactorGraph given = graph.given(evidence);
  const ExactTask task = k > 1 ? ExactTask::k_best : ExactTask::map;
  const Deadline deadline = deadline_of(options, watch);  // of planning and solving together
  const ExactPlan plan(given, task, options);
  // Branches of narrow eliminations that bounds cut short often need less than one wide elimination
  // would, and stay in the cache; where they do not, they end after a share of its operations.
  constexpr double kWide = 3e7, kShare = 0.5;
  constexpr std::uint64_t kNarrow = std::uint64_t{4} << 20;
  const bool try_narrow = options.max_branches > 1 && k == 1 && plan.cost().operations > kWide &&
                          plan.cost().bytes > 4 * kNarrow;
  if (try_narrow) {
    auto result = plan.narrowly(kNarrow, kShare * plan.cost().operations, given, deadline);
    if (result) return with_planning(plan, std::move(*result), watch);
  }
  return with_planning(plan, plan.map(given, k, deadline), watch);
}

ExactCost exact_cost(const FactorGraph& graph, ExactTask task, const ExactOptions& options) {
  options.validate();
  Budget budget = planning_budget(options);
  budget.take(domain_bytes(graph));
  const Domains domains = find_domains(graph, options.prune, budget.deadline());
  if (!domains.contradiction.empty()) return {};
  return exact::cost_of(exact::best_draft(graph, domains, task, options, budget), graph, domains,
                        task, options);
}

}  // namespace fgnn
