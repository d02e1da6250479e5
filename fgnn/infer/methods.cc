#include "fgnn/infer/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/core/registry.h"
#include "fgnn/core/suggest.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/ad3.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/bp/schedule.h"
#include "fgnn/infer/branch_and_bound.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/low_rank_form.h"
#include "fgnn/infer/message_memory.h"
#include "fgnn/infer/method_sources.h"
#include "fgnn/infer/mplp.h"
#include "fgnn/infer/repair.h"

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
    if (auto why = bp::contradiction(given, deadline_of(options)); !why.empty()) {
      Result proved = infeasible(std::move(why));
      proved.method = "low-rank";
      proved.iterations = result.iterations;
      proved.options = std::move(result.options);
      proved.phases = std::move(result.phases);
      result = finish_marginals(given, std::move(proved));
    }
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
       {},
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
       {"k"},
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

// "damping=0.5"
void set_piece(MethodVariant& variant, std::string_view piece) {
  method_settings().set_piece(variant.options, piece, "max-product:damping=0.5,iterations=50");
  variant.method->check(variant.options);
}

// The settings of `common` that the method takes.
MethodOptions taken(const Method& method, const MethodOptions& common) {
  MethodOptions options = common;
  for (const MethodSetting& setting : method_settings()) {
    if (!method.takes(setting.name)) setting.clear(options);
  }
  return options;
}

}  // namespace

ExactOptions exact_options(const MethodOptions& options) {
  ExactOptions exact;
  exact.max_bytes = options.max_bytes;
  exact.time_limit = options.time_limit;
  exact.control = options.control;
  exact.threads = options.threads;
  exact.seed = options.seed;
  return exact;
}

std::string_view name(Query query) { return query == Query::infer ? "infer" : "map"; }

bool Method::takes(std::string_view setting) const {
  return std::ranges::find(settings, setting) != settings.end();
}

void Method::check(const MethodOptions& options) const {
  for (const MethodSetting& setting : method_settings()) {
    if (!setting.given(options)) continue;
    about("--" + setting.name, [&] { setting.check(options); });
    if (takes(setting.name)) continue;
    throw Error(ErrorCode::usage, fmt::format("--{}", setting.name),
                fmt::format("does not apply to method '{}'", name),
                settings.empty() ? "it takes no settings"
                                 : fmt::format("it takes {}", fmt::join(settings, ", ")));
  }
}

Result Method::solve(const FactorGraph& graph, const MethodOptions& options,
                     const Evidence& evidence) const {
  check(options);
  if (passes_messages) {  // AD3 has neither damping nor clusters
    const bool by_kernels = takes("damping") || takes("clusters");
    const bool tempered = options.temperature.value_or(1) != 1;
    check_message_memory(graph,
                         !by_kernels           ? Kernels::projections
                         : query == Query::map ? Kernels::maxima
                         : tempered            ? Kernels::tempered_sums
                                               : Kernels::sums,
                         options.max_bytes);
  }
  Result result = run(graph, options, evidence);
  if (!result.finished) throw Error(ErrorCode::internal, name, "its answer was not finished");
  result.options.regard_as_given(options);
  return result;
}

namespace {

struct KnownMethods {
  OrderedRegistry<Method> infer{"infer method"}, map{"map method"};

  KnownMethods() {
    for (Method method : infer_methods()) fill(infer, std::move(method));
    for (Method method : map_methods()) fill(map, std::move(method));
  }
  static void fill(OrderedRegistry<Method>& registry, Method method) {
    method.passes_messages = method.takes("iterations");
    const std::string name = method.name;
    registry.add(name, std::move(method));
  }
  OrderedRegistry<Method>& of(Query query) { return query == Query::infer ? infer : map; }
};

KnownMethods& known_methods() {
  static KnownMethods all;
  return all;
}

}  // namespace

std::vector<Method> methods() {
  std::vector<Method> all = known_methods().infer.values();
  const std::vector<Method> map = known_methods().map.values();
  all.insert(all.end(), map.begin(), map.end());
  return all;
}

void add_method(Method method) {
  const std::string name = method.name;
  known_methods().of(method.query).add(name, std::move(method));
}

namespace {

// Where methods made from files come from, and those made so far. Any thread may ask.
class Sources {
 public:
  Sources() {
    for (auto& [prefix, source] : own_method_sources()) add(prefix, source);
  }

  void add(std::string prefix, MethodSource source) {
    by_prefix_.add(std::move(prefix), std::move(source));
  }

  // The prefix of "prefix:FILE" if it is one of a source, else empty.
  std::string_view prefix(std::string_view name) const {
    const auto prefix = name.substr(0, name.find(':'));
    return prefix.size() < name.size() && by_prefix_.find(prefix) ? prefix : std::string_view{};
  }

  // Made methods stay where they are, so that references to them do.
  const Method& method(Query query, std::string_view name, std::string_view prefix) {
    const std::lock_guard lock(mutex_);
    const auto key = std::pair(query, std::string(name));
    auto found = made_.find(key);
    if (found == made_.end()) {
      const std::string file(name.substr(prefix.size() + 1));
      found = made_.emplace(key, (*by_prefix_.find(prefix))(query, file)).first;
    }
    return found->second;
  }

 private:
  Registry<MethodSource> by_prefix_;
  std::mutex mutex_;  // of those made
  std::map<std::pair<Query, std::string>, Method> made_;
};

Sources& sources() {
  static Sources all;
  return all;
}

}  // namespace

void add_method_source(std::string prefix, MethodSource source) {
  sources().add(std::move(prefix), std::move(source));
}

const Method& find_method(Query query, std::string_view wanted) {
  if (const auto prefix = sources().prefix(wanted); !prefix.empty()) {
    return sources().method(query, wanted, prefix);
  }
  const OrderedRegistry<Method>& known = known_methods().of(query);
  if (const Method* method = known.find(wanted)) return *method;
  throw Error(ErrorCode::usage, fmt::format("method '{}'", wanted),
              fmt::format("there is no such method for '{}'", name(query)),
              suggestion(wanted, known.names()));
}

std::vector<MethodVariant> parse_variants(Query query, std::string_view text,
                                          const MethodOptions& common) {
  std::vector<MethodVariant> variants;
  for (const std::string& label : split_variants(text)) {
    const std::vector<std::string> pieces = split(label, ',');
    const std::string_view first = pieces.front();
    const std::size_t colon = first.find(':');
    const bool from_file = !sources().prefix(first).empty();
    const Method& method = find_method(query, from_file ? first : first.substr(0, colon));
    variants.push_back({label, &method, taken(method, common)});
    if (colon != first.npos && !from_file) set_piece(variants.back(), first.substr(colon + 1));
    for (std::size_t i = 1; i < pieces.size(); ++i) set_piece(variants.back(), pieces[i]);
  }
  for (const MethodSetting& setting : method_settings()) {
    if (!setting.given(common)) continue;
    const bool used = std::ranges::any_of(
        variants, [&](const MethodVariant& v) { return v.method->takes(setting.name); });
    if (!used) {
      throw Error(ErrorCode::usage, fmt::format("--{}", setting.name),
                  "applies to none of the methods");
    }
  }
  return variants;
}

}  // namespace fgnn
