#include "tests/reference/agreement.h"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/infer/enumerate.h"

namespace fgnn::testing {
namespace {

constexpr double kProbability = 1e-6;  // by which probabilities may differ

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 + 1e-9 * std::abs(b); }

bool proves(const Method& method) {
  return method.guarantee.starts_with("the optimum, proved") ||
         method.guarantee == "marginals and Z to rounding";
}

bool exact_on_trees(const Method& method) {
  return method.guarantee == "exact on trees" || method.guarantee == "that of sum-product";
}

// Variables and factors without cycles: every edge joins two parts that were apart.
bool is_tree(const FactorGraph& graph) {
  std::vector<std::size_t> part(graph.num_variables() + graph.num_factors());
  std::iota(part.begin(), part.end(), std::size_t{0});
  const auto top = [&](std::size_t i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    for (VariableId v : graph.scope(c)) {
      const std::size_t a = top(v), b = top(graph.num_variables() + c);
      if (a == b) return false;
      part[a] = b;
    }
  }
  return true;
}

std::string of_map(const Method& method, const Result& answer, const Truth& truth) {
  if (!answer.assignment.empty() || truth.given.num_variables() == 0) {
    const double score = truth.given.score(answer.assignment);
    if (score != answer.score) return fmt::format("score {} is {}", answer.score, score);
  }
  if (!truth.feasible()) {
    return answer.feasible() ? "a score where everything is forbidden" : "";
  }
  const double optimum = truth.map.score;
  if (answer.score > optimum + 1e-6) return fmt::format("score {} above {}", answer.score, optimum);
  if (!(answer.bound >= answer.score)) return fmt::format("bound {} below score", answer.bound);
  if (answer.bound < optimum && !near(answer.bound, optimum)) {
    return fmt::format("bound {} below {}", answer.bound, optimum);
  }
  const bool best = near(answer.score, optimum);
  if (answer.status == Status::exact && !best) {
    return fmt::format("score {} called exact, optimum {}", answer.score, optimum);
  }
  if (truth.tree && exact_on_trees(method) && answer.status == Status::converged && !best) {
    return fmt::format("score {} on a tree, optimum {}", answer.score, optimum);
  }
  if (answer.solutions.empty()) return {};
  if (answer.solutions.size() != truth.map.solutions.size()) {
    return fmt::format("{} best, there are {}", answer.solutions.size(),
                       truth.map.solutions.size());
  }
  for (std::size_t i = 0; i < answer.solutions.size(); ++i) {
    const Solution& mine = answer.solutions[i];
    if (!near(mine.score, truth.map.solutions[i].score) ||
        !near(mine.score, truth.given.score(mine.assignment))) {
      return fmt::format("solution {} scores {}, not {}", i, mine.score,
                         truth.map.solutions[i].score);
    }
  }
  return {};
}

std::string of_marginals(const Method& method, const Result& answer, const Truth& truth) {
  if (!truth.feasible()) {
    // An approximation need not notice, but must not look proved.
    if (answer.log_partition_low > kForbidden) return "a lower bound of ln Z where Z is 0";
    return answer.status == Status::exact ? "marginals called exact of nothing" : "";
  }
  const double log_z = *truth.marginals.log_partition;
  const auto at_most = [](double a, double b) { return a <= b || near(a, b); };
  if (!at_most(answer.log_partition_low, log_z) || !at_most(log_z, answer.log_partition_high)) {
    return fmt::format("ln Z proved {} to {}, it is {}", answer.log_partition_low,
                       answer.log_partition_high, log_z);
  }
  const bool right = answer.status == Status::exact ||
                     (truth.tree && exact_on_trees(method) && answer.status == Status::converged);
  for (VariableId v = 0; v < truth.given.num_variables(); ++v) {
    double sum = 0;
    for (State x = 0; x < truth.given.states(v); ++x) {
      const double p = answer.marginals[v][x], wanted = truth.marginals.marginals[v][x];
      if (!(p >= 0 && p <= 1 + kProbability)) return fmt::format("a probability of {}", p);
      if (right && std::abs(p - wanted) > kProbability) {
        return fmt::format("p({} = {}) is {}, not {}", truth.given.name(v), x, p, wanted);
      }
      sum += p;
    }
    if (std::abs(sum - 1) > kProbability) return fmt::format("probabilities add up to {}", sum);
  }
  if (right && answer.log_partition &&
      !near(*answer.log_partition, *truth.marginals.log_partition)) {
    return fmt::format("ln Z {}, not {}", *answer.log_partition, *truth.marginals.log_partition);
  }
  return {};
}

}  // namespace

Truth truth_of(const FactorGraph& graph, const Evidence& evidence, std::size_t k) {
  Truth truth;
  truth.given = graph.given(evidence);
  truth.marginals = enumerate_marginals(truth.given);
  truth.map = enumerate_map(truth.given, {}, k);
  truth.tree = is_tree(graph);
  return truth;
}

std::string disagreement(const Method& method, const Result& answer, const Truth& truth) {
  if (answer.method != method.name && !method.name.starts_with("fgnn:")) return "another's answer";
  if (answer.status == Status::infeasible) {
    if (truth.feasible()) return "a feasible graph called infeasible: " + answer.message;
    if (answer.message.empty()) return "infeasible without a reason";
    const bool empty = answer.assignment.empty() && answer.marginals.empty() && !answer.feasible();
    return empty ? "" : "an answer to what is infeasible";
  }
  if (proves(method) && (answer.status != Status::exact || !truth.feasible())) {
    return fmt::format("status {}", name(answer.status));
  }
  return method.query == Query::map ? of_map(method, answer, truth)
                                    : of_marginals(method, answer, truth);
}

Verdict judge(const Method& method, const FactorGraph& graph, const Evidence& evidence,
              const MethodOptions& options, const Truth& truth) {
  try {
    const Result answer = method.solve(graph, options, evidence);
    return {answer.status, disagreement(method, answer, truth)};
  } catch (const Error& error) {
    const bool unsuited =
        error.code() == ErrorCode::unsupported || error.code() == ErrorCode::too_large;
    return {{}, unsuited ? "" : fmt::format("error: {}", error.what())};
  }
}

}  // namespace fgnn::testing
