#include "fgnn/infer/own_methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/timing.h"
#include "fgnn/infer/ad3.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/bp/schedule.h"
#include "fgnn/infer/branch_and_bound.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/low_rank_form.h"
#include "fgnn/infer/mplp.h"
#include "fgnn/infer/repair.h"

namespace fgnn {
namespace {

bool wants_repair(const MethodOptions& options) {
  return options.rounding.value_or(Rounding::repair) == Rounding::repair;
}

Deadline deadline_of(const MethodOptions& options, Stopwatch since = {}) {
  return Deadline(options.time_limit, since, options.control.stop);
}

BpOptions bp_options(const MethodOptions& options) {
  BpOptions bp;
  take(bp.iterations, options.iterations);
  bp.damping = options.damping;
  take(bp.schedule, options.schedule);
  take(bp.temperature, options.temperature);
  take(bp.tolerance, options.tolerance);
  take(bp.single_precision, options.single_precision);
  bp.decimate = wants_repair(options);
  bp.time_limit = options.time_limit;
  bp.control = options.control;
  bp.threads = options.threads;
  bp.seed = options.seed;
  return bp;
}

// What MPLP and AD3 have in common.
template <class Options>
Options relaxation_options(const MethodOptions& options) {
  Options relaxation;
  take(relaxation.iterations, options.iterations);
  take(relaxation.tolerance, options.tolerance);
  relaxation.repair = wants_repair(options);
  relaxation.time_limit = options.time_limit;
  relaxation.control = options.control;
  relaxation.seed = options.seed;
  return relaxation;
}

Result low_rank_infer(const FactorGraph& graph, const MethodOptions& options,
                      const Evidence& evidence) {
  const Stopwatch watch;
  PhaseClock clock;
  clock.begin("low-rank form");
  const LowRankForm form = low_rank_form(graph);
  std::vector<Phase> phases = clock.take();
  Result result = sum_product(form.graph, bp_options(options), evidence);
  result.method = "low-rank";
  if (result.status == Status::diverged) {
    // Signed terms cancel by rounding; the potentials that they stand for know better.
    const FactorGraph given = graph.given(evidence);
    bp::refute(given, deadline_of(options), result);
    if (result.status == Status::infeasible) result = finish_marginals(given, std::move(result));
  }
  if (result.status != Status::infeasible) {
    if (!result.message.empty()) result.message += "; ";
    result.message += fmt::format("{} of {} factors were replaced by sums of rank-1 terms",
                                  form.replaced, graph.num_factors());
    if (form.kept > 0) result.message += fmt::format(", {} have no exact one", form.kept);
  }
  result.phases.insert(result.phases.begin(), phases.begin(), phases.end());
  result.seconds = watch.seconds();
  return result;
}

Result max_product_map(const FactorGraph& graph, const MethodOptions& options,
                       const Evidence& evidence) {
  const Stopwatch watch;
  Result result = max_product(graph, bp_options(options), evidence);
  if (result.status == Status::infeasible || !wants_repair(options)) return result;
  PhaseClock clock;
  clock.begin("repair");
  const FactorGraph given = graph.given(evidence);
  Repair repaired = repair(given, result.assignment, options.seed, deadline_of(options, watch));
  if (repaired.feasible && repaired.score > result.score) {
    if (!result.feasible()) result.message.clear();
    result.assignment = std::move(repaired.assignment);
  }
  for (const Phase& phase : clock.take()) result.phases.push_back(phase);
  result.seconds = watch.seconds();
  return finish_map(given, std::move(result));
}

Result mplp_map(const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
  auto relaxation = relaxation_options<MplpOptions>(options);
  take(relaxation.clusters, options.clusters);
  return mplp(graph, relaxation, evidence);
}

Result ad3_map(const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
  return ad3(graph, relaxation_options<Ad3Options>(options), evidence);
}

Result ad3_exact_map(const FactorGraph& graph, const MethodOptions& options,
                     const Evidence& evidence) {
  BranchOptions branch;
  branch.ad3 = relaxation_options<Ad3Options>(options);
  branch.time_limit = options.time_limit;
  branch.control = options.control;
  return ad3_exact(graph, branch, evidence);
}

using Settings = std::vector<std::string>;

std::vector<Method> infer_methods() {
  const Settings bp{"iterations", "damping", "schedule", "temperature", "tolerance", "float"};
  return {
      {"exact",
       Query::infer,
       "bucket elimination on the cheapest of many orders",
       "exponential in the induced width",
       "marginals and Z to rounding",
       {"orders", "order-time", "branches"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return exact_marginals(graph, exact_options(options), evidence);
       }},
      {"sum-product", Query::infer, "loopy belief propagation, a kernel per kind of potential",
       "per iteration: the joint states of tables, linear otherwise", "exact on trees", bp,
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return sum_product(graph, bp_options(options), evidence);
       }},
      {"low-rank", Query::infer, "sum-product on factors written as sums of rank-1 terms",
       "per iteration: arity x states x rank", "that of sum-product", bp, low_rank_infer},
      {"enumerate",
       Query::infer,
       "visits every joint state; the reference for small graphs",
       "product of all numbers of states",
       "marginals and Z to rounding",
       {},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return enumerate_marginals(graph, evidence, deadline_of(options));
       }},
  };
}

std::vector<Method> map_methods() {
  return {
      {"exact",
       Query::map,
       "bucket elimination, then best-first search for the k best",
       "exponential in the induced width",
       "the optimum, proved",
       {"k", "orders", "order-time", "branches"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return exact_map(graph, exact_options(options), evidence, options.k.value_or(1));
       }},
      {"max-product",
       Query::map,
       "loopy belief propagation with maxima, decoded in turn",
       "per iteration: the joint states of tables, linear otherwise",
       "exact on trees",
       {"iterations", "damping", "schedule", "tolerance", "float", "rounding"},
       max_product_map},
      {"mplp",
       Query::map,
       "descent on the dual of the linear relaxation, with clusters",
       "per pass: that of max-product",
       "an upper bound; the optimum where they meet",
       {"iterations", "tolerance", "clusters", "rounding"},
       mplp_map},
      {"ad3",
       Query::map,
       "the linear relaxation by alternating directions",
       "per iteration: a small quadratic problem per factor",
       "an upper bound; the optimum where they meet",
       {"iterations", "tolerance", "rounding"},
       ad3_map},
      {"ad3-exact",
       Query::map,
       "branch and bound on the relaxation that ad3 solves",
       "exponential in the worst case; few nodes where the relaxation is close",
       "the optimum, proved; a bound when stopped",
       {"iterations", "tolerance"},
       ad3_exact_map},
      {"enumerate",
       Query::map,
       "visits every joint state; the reference for small graphs",
       "product of all numbers of states",
       "the optimum, proved",
       {"k"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return enumerate_map(graph, evidence, options.k.value_or(1), deadline_of(options));
       }},
  };
}

}  // namespace

std::vector<Method> own_methods() {
  std::vector<Method> all{automatic_method(Query::infer), automatic_method(Query::map)};
  for (const auto& some : {infer_methods(), map_methods(), search_methods(), bound_methods()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

ExactOptions exact_options(const MethodOptions& options) {
  constexpr std::size_t kMostBranches = 1 << 20;
  ExactOptions exact;
  exact.max_bytes = options.max_bytes;
  exact.time_limit = options.time_limit;
  exact.control = options.control;
  exact.threads = options.threads;
  exact.seed = options.seed;
  if (options.orders)
    exact.orders = static_cast<int>(std::min<std::size_t>(*options.orders, 1 << 30));
  take(exact.order_seconds, options.order_seconds);
  exact.max_branches = options.branches.value_or(kMostBranches);
  return exact;
}

}  // namespace fgnn
