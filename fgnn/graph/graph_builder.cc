#include "fgnn/graph/graph_builder.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "fgnn/core/error.h"

namespace fgnn {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr const char* kNoStates = "a variable needs at least one state";

[[noreturn]] void refuse(std::string subject, std::string message, std::string hint = {}) {
  throw Error(ErrorCode::model, std::move(subject), std::move(message), std::move(hint));
}

void check_log_value(double value, const std::string& subject) {
  if (std::isnan(value) || value == kInfinity) {
    refuse(subject, fmt::format("log-potential {} is not a number below infinity", value),
           "log-potentials are finite or -inf (forbidden)");
  }
}

}  // namespace

VariableArray VariableArray::slice(std::size_t begin, std::size_t end) const {
  if (begin > end || end > count_) {
    refuse("slice", fmt::format("elements {} to {} of an array of {}", begin, end, count_));
  }
  return {first_ + static_cast<VariableId>(begin), static_cast<VariableId>(end - begin)};
}

void GraphBuilder::check_room(const std::string& name, std::uint64_t count,
                              std::uint64_t states) const {
  if (count > kMost - num_variables() || states > kMost - s_.state_offset.back()) {
    refuse("variable '" + name + "'", "more than 2^32 states in all");
  }
}

void GraphBuilder::add_variables(std::string name, std::size_t count, State states, bool array) {
  if (states == 0) refuse("variable '" + name + "'", kNoStates);
  check_room(name, count, count > kMost ? 0 : std::uint64_t{count} * states);
  s_.names.add(std::move(name), static_cast<VariableId>(count), array);
  s_.states.insert(s_.states.end(), count, states);
  s_.state_offset.reserve(s_.state_offset.size() + count);
  for (std::size_t i = 0; i < count; ++i) {
    s_.state_offset.push_back(s_.state_offset.back() + states);
  }
}

VariableId GraphBuilder::variable(std::string name, State states) {
  add_variables(std::move(name), 1, states, false);
  return static_cast<VariableId>(num_variables() - 1);
}

VariableArray GraphBuilder::variables(std::string name, std::size_t count, State states) {
  const auto first = static_cast<VariableId>(num_variables());
  add_variables(std::move(name), count, states, true);
  return {first, static_cast<VariableId>(count)};
}

VariableArray GraphBuilder::variables(std::string name, std::span<const State> states) {
  std::uint64_t total = 0;
  for (State s : states) {
    if (s == 0) refuse("variable '" + name + "'", kNoStates);
    total += s;
  }
  check_room(name, states.size(), total);
  const auto first = static_cast<VariableId>(num_variables());
  const auto count = static_cast<VariableId>(states.size());
  s_.names.add(std::move(name), count, true);
  s_.states.insert(s_.states.end(), states.begin(), states.end());
  s_.state_offset.reserve(s_.state_offset.size() + count);
  for (State s : states) s_.state_offset.push_back(s_.state_offset.back() + s);
  return {first, count};
}

void GraphBuilder::check_variable(VariableId v) const {
  if (v >= num_variables()) {
    refuse(fmt::format("variable {}", v),
           fmt::format("not declared, there are {}", num_variables()), "declare variables first");
  }
}

void GraphBuilder::unary(VariableId v, std::span<const double> log_values) {
  check_variable(v);
  if (log_values.size() != s_.states[v]) {
    refuse(name(v),
           fmt::format("{} unary log-potentials for {} states", log_values.size(), s_.states[v]));
  }
  if (unary_.size() < s_.state_offset.back()) unary_.resize(s_.state_offset.back(), 0.0);
  const std::span own = std::span(unary_).subspan(s_.state_offset[v], s_.states[v]);
  for (std::size_t x = 0; x < own.size(); ++x) {
    const double sum = own[x] + log_values[x];  // finite ones may add up to infinity
    if (std::isnan(sum) || sum == kInfinity) check_log_value(sum, name(v));
  }
  for (std::size_t x = 0; x < own.size(); ++x) own[x] += log_values[x];
}

void GraphBuilder::constant(double log_value) {
  check_log_value(log_value, "constant");
  check_log_value(s_.constant + log_value, "constant");
  s_.constant += log_value;
}

PotentialId GraphBuilder::potential(std::shared_ptr<const Potential> potential) {
  if (!potential) refuse("potential", "is null");
  s_.potentials.push_back(std::move(potential));
  return PotentialId{static_cast<std::uint32_t>(s_.potentials.size() - 1)};
}

// A variable may appear once in a scope: a repeated one would make "the message to it" ambiguous.
void GraphBuilder::check_scope(std::span<const VariableId> scope) {
  const FactorId mark = static_cast<FactorId>(num_factors()) + 1;
  if (seen_.size() < num_variables()) seen_.resize(num_variables(), 0);
  for (std::size_t i = 0; i < scope.size(); ++i) {
    const VariableId v = scope[i];
    std::string problem;
    if (v >= num_variables()) {
      problem = fmt::format("variable {} is not declared", v);
    } else if (seen_[v] == mark) {
      problem = fmt::format("{} appears twice in the scope", name(v));
    } else {
      seen_[v] = mark;
      continue;
    }
    // Unmark, so that a corrected call under the same number is not refused.
    for (std::size_t j = 0; j < i; ++j) seen_[scope[j]] = 0;
    refuse(fmt::format("factor {}", num_factors()), std::move(problem));
  }
}

FactorId GraphBuilder::factor(std::span<const VariableId> scope, PotentialId id) {
  const auto index = static_cast<std::uint32_t>(id);
  if (index >= s_.potentials.size()) refuse("potential", "was not declared by this builder");
  if (scope.empty()) {
    refuse(fmt::format("factor {}", num_factors()), "has no variables",
           "use constant() for a number");
  }
  if (s_.edge_variable.size() + scope.size() > kMost) refuse("graph", "more than 2^32 edges");
  check_scope(scope);
  shape_.clear();
  for (VariableId v : scope) shape_.push_back(s_.states[v]);
  if (std::string reason = s_.potentials[index]->misfit(shape_); !reason.empty()) {
    for (VariableId v : scope) seen_[v] = 0;
    refuse(fmt::format("factor {} ({}{})", num_factors(), name(scope[0]),
                       scope.size() > 1 ? ", …" : ""),
           std::move(reason));
  }
  s_.edge_variable.insert(s_.edge_variable.end(), scope.begin(), scope.end());
  s_.factor_edge.push_back(static_cast<EdgeId>(s_.edge_variable.size()));
  s_.factor_potential.push_back(index);
  return static_cast<FactorId>(num_factors() - 1);
}

FactorId GraphBuilder::factor(std::span<const VariableId> scope,
                              std::shared_ptr<const Potential> shared) {
  const PotentialId id = potential(std::move(shared));
  try {
    return factor(scope, id);
  } catch (...) {
    s_.potentials.pop_back();  // a refused factor leaves nothing behind
    throw;
  }
}

void GraphBuilder::reserve(std::size_t variables, std::size_t factors, std::size_t edges) {
  s_.states.reserve(variables);
  s_.state_offset.reserve(variables + 1);
  s_.factor_edge.reserve(factors + 1);
  s_.factor_potential.reserve(factors);
  s_.edge_variable.reserve(edges);
}

std::size_t GraphBuilder::estimated_bytes() const {
  const std::size_t variables = num_variables(), factors = num_factors();
  std::size_t total = 12 * variables + 8 * factors + 12 * s_.edge_variable.size() + 12 +
                      8 * std::size_t{s_.state_offset.back()} + s_.names.bytes() +
                      sizeof(std::shared_ptr<const Potential>) * s_.potentials.size();
  for (const auto& potential : s_.potentials) total += potential->bytes();
  return total;
}

FactorGraph GraphBuilder::build() && {
  seen_ = {};
  const std::size_t edges = s_.edge_variable.size();
  unary_.resize(s_.state_offset.back(), 0.0);

  // Counting sort of the edges by variable: ascending edge numbers within each variable.
  s_.variable_edge.assign(num_variables() + 1, 0);
  for (VariableId v : s_.edge_variable) ++s_.variable_edge[v + 1];
  for (std::size_t v = 0; v < num_variables(); ++v) s_.variable_edge[v + 1] += s_.variable_edge[v];
  s_.variable_edges.resize(edges);
  s_.edge_factor.resize(edges);
  // Fill from each row's start; the starts move one row on, and are moved back afterwards.
  for (FactorId c = 0; c < num_factors(); ++c) {
    for (EdgeId e = s_.factor_edge[c]; e < s_.factor_edge[c + 1]; ++e) {
      s_.edge_factor[e] = c;
      s_.variable_edges[s_.variable_edge[s_.edge_variable[e]]++] = e;
    }
  }
  for (std::size_t v = num_variables(); v > 0; --v) s_.variable_edge[v] = s_.variable_edge[v - 1];
  s_.variable_edge[0] = 0;

  FactorGraph graph;
  graph.unary_ = std::exchange(unary_, {});
  graph.s_ = std::make_shared<const FactorGraph::Structure>(std::exchange(s_, {}));
  return graph;
}

}  // namespace fgnn
