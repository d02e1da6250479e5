#include "fgnn/infer/own_methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/timing.h"
#include "fgnn/infer/ad3.h"
#include "fgnn/infer/automatic.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/bp/schedule.h"
#include "fgnn/infer/branch_and_bound.h"
#include "fgnn/infer/cost_search.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/gibbs.h"
#include "fgnn/infer/join_graph.h"
#include "fgnn/infer/low_rank_form.h"
#include "fgnn/infer/mean_field.h"
#include "fgnn/infer/mini_bucket.h"
#include "fgnn/infer/mplp.h"
#include "fgnn/infer/repair.h"
#include "fgnn/infer/search.h"
#include "fgnn/infer/tree_reweighted.h"
#include "fgnn/infer/trws.h"

namespace fgnn {
namespace {

template <class Value>
void take(Value& target, const std::optional<Value>& given) {
  if (given) target = *given;
}

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

Result search_map(const FactorGraph& graph, const MethodOptions& options,
                  const Evidence& evidence) {
  SearchOptions search;
  search.max_bytes = options.max_bytes;
  search.time_limit = options.time_limit;
  search.control = options.control;
  search.threads = options.threads;
  search.seed = options.seed;
  return neighbourhood_search(graph, search, evidence);
}

Result trws_map(const FactorGraph& graph, const MethodOptions& options,
                const Evidence& evidence) {
  TrwsOptions trws_options;
  take(trws_options.iterations, options.iterations);
  take(trws_options.tolerance, options.tolerance);
  trws_options.repair = options.rounding != Rounding::argmax;
  trws_options.seed = options.seed;
  trws_options.max_bytes = options.max_bytes;
  trws_options.time_limit = options.time_limit;
  trws_options.control = options.control;
  return trws(graph, trws_options, evidence);
}

Result branch_map(const FactorGraph& graph, const MethodOptions& options,
                  const Evidence& evidence) {
  CostSearchOptions search;
  search.max_bytes = options.max_bytes;
  search.time_limit = options.time_limit;
  search.control = options.control;
  search.seed = options.seed;
  return cost_search(graph, search, evidence);
}

MiniBucketOptions mini_bucket_options(const MethodOptions& options) {
  MiniBucketOptions buckets;
  take(buckets.ibound, options.ibound);
  take(buckets.weights, options.weights);
  buckets.max_bytes = options.max_bytes;
  buckets.time_limit = options.time_limit;
  buckets.control = options.control;
  buckets.seed = options.seed;
  return buckets;
}

TreeReweightedOptions trw_options(const MethodOptions& options) {
  TreeReweightedOptions trw;
  take(trw.iterations, options.iterations);
  take(trw.damping, options.damping);
  take(trw.tolerance, options.tolerance);
  trw.max_bytes = options.max_bytes;
  trw.time_limit = options.time_limit;
  trw.control = options.control;
  trw.seed = options.seed;
  return trw;
}

MeanFieldOptions mean_field_options(const MethodOptions& options) {
  MeanFieldOptions field;
  take(field.iterations, options.iterations);
  take(field.restarts, options.restarts);
  take(field.tolerance, options.tolerance);
  field.max_bytes = options.max_bytes;
  field.time_limit = options.time_limit;
  field.control = options.control;
  field.seed = options.seed;
  return field;
}

JoinGraphOptions join_graph_options(const MethodOptions& options) {
  JoinGraphOptions join;
  take(join.ibound, options.ibound);
  take(join.iterations, options.iterations);
  take(join.damping, options.damping);
  take(join.tolerance, options.tolerance);
  join.max_bytes = options.max_bytes;
  join.time_limit = options.time_limit;
  join.control = options.control;
  join.seed = options.seed;
  return join;
}

GibbsOptions gibbs_options(const MethodOptions& options) {
  GibbsOptions sampler;
  take(sampler.chains, options.chains);
  take(sampler.sweeps, options.sweeps);
  sampler.threads = options.threads;
  sampler.max_bytes = options.max_bytes;
  sampler.time_limit = options.time_limit;
  sampler.control = options.control;
  sampler.seed = options.seed;
  return sampler;
}

AutomaticOptions automatic_options(const MethodOptions& options) {
  return {{options}, options.k.value_or(1)};
}

using Settings = std::vector<std::string>;

std::vector<Method> infer_methods() {
  const Settings bp{"iterations", "damping", "schedule", "temperature", "tolerance", "float"};
  return {
      {"auto",
       Query::infer,
       "exact where it fits, else the best of several belief propagations",
       "at most the time limit; 30 s without one",
       "that of the method it names",
       {},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return automatic_marginals(graph, automatic_options(options), evidence);
       }},
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
      {"trw",
       Query::infer,
       "tree-reweighted belief propagation on forests that cover the graph",
       "per iteration: that of sum-product",
       "an upper bound of ln Z, exact on trees",
       {"iterations", "damping", "tolerance"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return tree_reweighted(graph, trw_options(options), evidence);
       }},
      {"mean-field",
       Query::infer,
       "the best independent variables by coordinate ascent",
       "per pass: arity x joint states of tables, counts on n variables n^3",
       "a lower bound of ln Z",
       {"iterations", "restarts", "tolerance"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return mean_field(graph, mean_field_options(options), evidence);
       }},
      {"mini-bucket",
       Query::infer,
       "bucket elimination in parts of at most 2^ibound joint states",
       "variables x 2^ibound",
       "bounds of ln Z on both sides",
       {"ibound", "weights"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return mini_bucket_marginals(graph, mini_bucket_options(options), evidence);
       }},
      {"join-graph",
       Query::infer,
       "sum-product on clusters of at most 2^ibound joint states",
       "per iteration: clusters x 2^ibound",
       "exact where no variable is split",
       {"ibound", "iterations", "damping", "tolerance"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return join_graph(graph, join_graph_options(options), evidence);
       }},
      {"gibbs",
       Query::infer,
       "annealed importance sampling for ln Z, Gibbs sampling for marginals",
       "per pass and chain: edges x states",
       "a 95 % interval of ln Z, no proof, and a diagnosis",
       {"chains", "sweeps"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return gibbs(graph, gibbs_options(options), evidence);
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
      {"auto",
       Query::map,
       "exact where it fits, else search and branch and bound",
       "at most the time limit; 30 s without one",
       "an upper bound; the optimum where they meet",
       {"k"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return automatic_map(graph, automatic_options(options), evidence);
       }},
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
      {"trw-s",
       Query::map,
       "linear relaxation by tree-reweighted sweeps, for factors with small tables",
       "iterations x sum over factors of arity x table",
       "an upper bound that only falls; the optimum where they meet",
       {"iterations", "tolerance", "rounding"},
       trws_map},
      {"branch",
       Query::map,
       "branch and bound on costs in small tables, kept arc consistent",
       "per node: the tables of what changes; exponential in the worst case",
       "the optimum, proved; a bound when stopped",
       {},
       branch_map},
      {"mini-bucket",
       Query::map,
       "bucket elimination in parts of at most 2^ibound joint states",
       "variables x 2^ibound",
       "an upper bound; the optimum where they meet",
       {"ibound"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return mini_bucket_map(graph, mini_bucket_options(options), evidence);
       }},
      {"search",
       Query::map,
       "exact elimination of most variables at a time, the others held",
       "per round: variables x joint states of narrow cliques",
       "no worse than max-product; proved where nothing is held",
       {},
       search_map},
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
  std::vector<Method> all = infer_methods();
  for (Method& method : map_methods()) all.push_back(std::move(method));
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
  if (options.orders) exact.orders = static_cast<int>(std::min<std::size_t>(*options.orders, 1 << 30));
  take(exact.order_seconds, options.order_seconds);
  exact.max_branches = options.branches.value_or(kMostBranches);
  return exact;
}

}  // namespace fgnn
