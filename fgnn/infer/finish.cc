#include "fgnn/infer/finish.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/log_math.h"
#include "fgnn/infer/factor_ranges.h"

namespace fgnn {
namespace {

// Scores and bounds are sums of many terms; each addition rounds.
constexpr double kRounding = 1e-9;
// Probabilities of single precision and of sampled beliefs add up to one this nearly.
constexpr double kSumRounding = 1e-4;

double slack(double a, double b) { return kRounding * (1 + std::max(std::abs(a), std::abs(b))); }

[[noreturn]] void impossible(const Result& claims, std::string what) {
  throw Error(ErrorCode::internal, claims.method, std::move(what), "please report this");
}

// The sums of the factors' ranges and the constant; unaries are not in it.
ScoreRange factor_range(const FactorGraph& graph) {
  ScoreRange sum{graph.constant(), graph.constant()};
  FactorRanges ranges(graph);
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const ScoreRange own = ranges(c);
    if (own.high == kForbidden) return {kInfinity, kForbidden};
    sum.low += own.low;
    sum.high += own.high;
  }
  return sum;
}

ScoreRange unary_range(const FactorGraph& graph, VariableId v) {
  ScoreRange own;
  for (double value : graph.unary(v)) own.include(value);
  return own;
}

// The largest sum of finite potentials that can come up, whatever their signs.
double largest_sum(const FactorGraph& graph) {
  const auto size = [](double value) { return std::isfinite(value) ? std::abs(value) : 0.0; };
  double total = size(graph.constant());
  const auto add = [&](const ScoreRange& own) { total += std::max(size(own.low), size(own.high)); };
  for (VariableId v = 0; v < graph.num_variables(); ++v) add(unary_range(graph, v));
  FactorRanges ranges(graph);
  for (FactorId c = 0; c < graph.num_factors(); ++c) add(ranges(c));
  return total;
}

// Called where a sum came out infinite: refuses potentials that add up to more than a double holds.
void check_sums(const FactorGraph& graph) {
  if (std::isfinite(largest_sum(graph))) return;
  throw Error(ErrorCode::model, "potentials",
              "their logarithms add up beyond the range of a double, 1.8e308",
              "divide them, or leave out what is that unlikely (-inf)");
}

// Called where probabilities are not numbers: refuses potentials beside which those of others are
// rounding.
void check_precision(const FactorGraph& graph) {
  check_sums(graph);
  const double largest = largest_sum(graph);
  if (largest * std::numeric_limits<double>::epsilon() < kSumRounding) return;
  throw Error(
      ErrorCode::model, "potentials",
      fmt::format("their logarithms add up to {:.3g}, beside which probabilities are lost to "
                  "rounding",
                  largest),
      "divide them, or leave out what is that unlikely (-inf)");
}

double highest(std::span<const double> values) {
  return *std::max_element(values.begin(), values.end());
}

// Why nothing is allowed, where that shows at once.
std::string plain_contradiction(const FactorGraph& graph) {
  if (graph.constant() == kForbidden) return "the constant is zero, which forbids everything";
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    if (highest(graph.unary(v)) == kForbidden) return graph.name(v) + ": every state is forbidden";
  }
  return {};
}

GraphSize size_of(const FactorGraph& graph) {
  return {graph.num_variables(), graph.num_factors(), graph.num_edges(), graph.total_states()};
}

Result finished_infeasible(const FactorGraph& graph, Result claims, std::string why) {
  check_sums(graph);
  Result result = infeasible(std::move(why));
  result.method = std::move(claims.method);
  result.residuals = std::move(claims.residuals);
  result.iterations = claims.iterations;
  result.seconds = claims.seconds;
  result.phases = std::move(claims.phases);
  result.options = std::move(claims.options);
  result.graph = size_of(graph);
  result.finished = true;
  return result;
}

// Scores the assignment; a state that its variable cannot have is not an answer to the question
// asked.
double checked_score(const FactorGraph& graph, const Result& claims,
                     const std::vector<State>& assignment) {
  if (assignment.size() != graph.num_variables()) {
    impossible(claims, fmt::format("answers {} states for {} variables", assignment.size(),
                                   graph.num_variables()));
  }
  const double score = graph.score(assignment);
  if (std::isfinite(score)) return score;
  check_sums(graph);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    if (graph.unary(v)[assignment[v]] == kForbidden) {
      impossible(claims, fmt::format("puts {} into state {}, which is ruled out", graph.name(v),
                                     assignment[v]));
    }
  }
  return score;
}

void finish_solutions(const FactorGraph& graph, Result& result) {
  double last = kInfinity;
  for (Solution& solution : result.solutions) {
    solution.score = checked_score(graph, result, solution.assignment);
    if (solution.score == kForbidden) impossible(result, "lists a forbidden assignment");
    if (solution.score > last + slack(solution.score, last)) {
      impossible(result, "lists assignments out of order");
    }
    last = solution.score;
  }
}

void finish_row(const FactorGraph& graph, VariableId v, Result& result) {
  const auto row = result.marginals[v];
  const auto unary = graph.unary(v);
  double sum = 0;
  for (std::size_t x = 0; x < row.size(); ++x) {
    if (!(row[x] >= -kSumRounding && row[x] <= 1 + kSumRounding)) {
      check_precision(graph);
      impossible(result, fmt::format("gives {} a probability of {}", graph.name(v), row[x]));
    }
    if (unary[x] == kForbidden && row[x] > kSumRounding) {
      impossible(result,
                 fmt::format("gives state {} of {}, which is ruled out, a probability of {}", x,
                             graph.name(v), row[x]));
    }
    sum += row[x];
  }
  if (std::abs(sum - 1) <= kSumRounding) return;
  if (result.status != Status::diverged) {
    check_precision(graph);
    impossible(result, fmt::format("the probabilities of {} add up to {}", graph.name(v), sum));
  }
  // Messages that left a variable no state say nothing about it.
  std::copy(unary.begin(), unary.end(), row.begin());
  normalize_exp(row);
}

// log Z of a graph whose factors are all constant, and the largest it can be.
double trivial_log_partition(const FactorGraph& graph, double factors, double temperature) {
  double total = factors;
  std::vector<double> scaled;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const auto unary = graph.unary(v);
    scaled.assign(unary.begin(), unary.end());
    for (double& value : scaled) value /= temperature;
    total += temperature * log_sum_exp(scaled);
  }
  return total;
}

// Whether log Z lies where that of every feasible graph with these potentials does.
bool plausible_partition(const FactorGraph& graph, double log_z, double temperature) {
  const ScoreRange factors = factor_range(graph);
  double low = factors.low;
  for (VariableId v = 0; v < graph.num_variables(); ++v) low += unary_range(graph, v).low;
  const double high = trivial_log_partition(graph, factors.high, temperature);
  return log_z >= low - slack(low, log_z) && log_z <= high + slack(high, log_z);
}

// Whether a <= b but for rounding; infinite bounds are what is not known.
bool ordered(double a, double b) {
  return a <= b || (std::isfinite(a) && std::isfinite(b) && a <= b + slack(a, b));
}

// An estimate within a proved bound that says less than the potentials themselves gives way to what
// these say: its method has not run away.
void cap_by_potentials(const FactorGraph& graph, Result& result) {
  if (!result.log_partition || result.log_partition_high == kInfinity) return;
  const double most = trivial_log_partition(graph, factor_range(graph).high, 1);
  if (*result.log_partition <= result.log_partition_high) {
    result.log_partition =
        std::min(*result.log_partition, std::max(most, result.log_partition_low));
  }
}

// Bounds of ln Z that cross each other, the estimate or what the potentials allow cannot be.
void finish_bounds(const FactorGraph& graph, Result& result) {
  double& low = result.log_partition_low;
  double& high = result.log_partition_high;
  if (!ordered(low, high)) {  // not a number, too
    check_precision(graph);
    impossible(result, fmt::format("proves ln Z above {} and below {}", low, high));
  }
  if (low > kForbidden) {
    const double most = trivial_log_partition(graph, factor_range(graph).high, 1);
    if (!ordered(low, most)) {
      impossible(result, fmt::format("proves ln Z above {}, it is at most {}", low, most));
    }
  }
  high = std::max(low, high);  // but for rounding
  if (result.log_partition) {
    const double log_z = *result.log_partition;
    if (!ordered(low, log_z) || !ordered(log_z, high)) {
      impossible(result,
                 fmt::format("gives ln Z of {}, which it proves to be {} to {}", log_z, low, high));
    }
    if (result.status == Status::exact) {
      low = high = log_z;
    } else {
      result.log_partition = std::clamp(log_z, low, high);
    }
  }
  if (result.log_partition_sampled) {
    SampledInterval& sampled = *result.log_partition_sampled;
    if (!(sampled.low <= sampled.high)) {
      check_precision(graph);
      impossible(result, fmt::format("samples ln Z of {} to {}", sampled.low, sampled.high));
    }
    sampled.low = std::clamp(sampled.low, low, high);
    sampled.high = std::clamp(sampled.high, low, high);
  }
}

}  // namespace

Result infeasible(std::string why) {
  Result result;
  result.status = Status::infeasible;
  result.message = why.empty() ? "every joint state is forbidden" : std::move(why);
  result.log_partition = kForbidden;
  result.log_partition_low = result.log_partition_high = kForbidden;
  result.bound = kForbidden;
  return result;
}

bool meets(double score, double bound, double proof_gap) {
  return std::isfinite(score) && std::isfinite(bound) &&
         bound - score <= proof_gap + slack(score, bound);
}

Result finish_map(const FactorGraph& given, Result claims, double proof_gap) {
  if (std::string why = plain_contradiction(given); !why.empty()) {
    return finished_infeasible(given, std::move(claims), std::move(why));
  }
  const bool none_found = claims.assignment.empty() && given.num_variables() > 0;
  claims.score = none_found ? kForbidden : checked_score(given, claims, claims.assignment);
  if (claims.status == Status::infeasible || claims.bound == kForbidden) {
    if (claims.feasible()) impossible(claims, "calls infeasible what it has an assignment for");
    std::string why = claims.status == Status::infeasible ? std::move(claims.message) : "";
    return finished_infeasible(given, std::move(claims), std::move(why));
  }
  if (claims.feasible() && claims.bound < claims.score && !meets(claims.bound, claims.score)) {
    impossible(claims, fmt::format("has an assignment that scores {} above a bound of {}",
                                   claims.score, claims.bound));
  }
  if (meets(claims.score, claims.bound, 0)) claims.bound = claims.score;  // but for rounding
  finish_solutions(given, claims);
  if (meets(claims.score, claims.bound, proof_gap)) {
    claims.status = Status::exact;
  } else if (claims.status == Status::exact) {
    impossible(claims, fmt::format("calls a score of {} proved by a bound of {}", claims.score,
                                   claims.bound));
  }
  if (!claims.feasible() && claims.message.empty()) {
    claims.message = "no allowed assignment was found";
  }
  claims.graph = size_of(given);
  claims.finished = true;
  return claims;
}

Result finish_marginals(const FactorGraph& given, Result claims, double temperature) {
  std::string why = plain_contradiction(given);
  if (why.empty() && claims.status == Status::infeasible) why = claims.message;
  const bool no_sum = (claims.log_partition == kForbidden && claims.status == Status::exact) ||
                      claims.log_partition_high == kForbidden;
  if (!why.empty() || no_sum) {
    if (claims.log_partition_low > kForbidden) {
      impossible(claims, "calls infeasible what it proves to have a sum");
    }
    return finished_infeasible(given, std::move(claims), std::move(why));
  }
  if (claims.log_partition && !std::isfinite(*claims.log_partition)) check_sums(given);

  if (claims.marginals.size() != given.num_variables()) {
    impossible(claims, "has no probabilities");
  }
  for (VariableId v = 0; v < given.num_variables(); ++v) finish_row(given, v, claims);
  if (temperature == 1 && claims.status != Status::exact) cap_by_potentials(given, claims);
  if (claims.log_partition && claims.status != Status::diverged &&
      !plausible_partition(given, *claims.log_partition, temperature)) {
    if (claims.status == Status::exact) {
      impossible(claims, fmt::format("ln Z of {} cannot be", *claims.log_partition));
    }
    claims.status = Status::diverged;
    claims.message =
        "its ln Z is beyond what these potentials allow and is withheld; "
        "more damping or --schedule residual may help";
  }
  if (claims.status == Status::diverged) claims.log_partition.reset();
  if (temperature == 1) finish_bounds(given, claims);
  claims.graph = size_of(given);
  claims.finished = true;
  return claims;
}

}  // namespace fgnn
