#include "fgnn/infer/feasibility.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "fgnn/core/budget.h"
#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/graph/oracle.h"

namespace fgnn {
namespace {

// Joint states visited per factor; above this a low-rank sum is sampled and others are ignored.
constexpr std::uint64_t kMaxVisited = std::uint64_t{1} << 20;
constexpr int kSamples = 1 << 16;

// The states that the unary potentials leave to each variable of a factor.
class Allowed {
 public:
  Allowed(const FactorGraph& graph, FactorId c) {
    for (const VariableId v : graph.scope(c)) {
      auto& states = states_.emplace_back();
      for (State x = 0; x < graph.states(v); ++x) {
        if (graph.unary(v)[x] != kForbidden) states.push_back(x);
      }
    }
    for (const auto& states : states_) left_.push_back(&states);
  }
  Left left() const { return left_; }
  bool any_empty() const {
    return std::ranges::any_of(states_, [](const auto& states) { return states.empty(); });
  }
  bool contains(std::size_t j, State x) const { return std::ranges::binary_search(states_[j], x); }

 private:
  std::vector<std::vector<State>> states_;
  std::vector<const std::vector<State>*> left_;
};

// Without an oracle: look at every joint state, all of them, since a low-rank sum may turn negative
// anywhere. No answer when there are too many.
std::optional<bool> feasible_by_visiting(const Potential& potential, Shape shape,
                                         const Allowed& allowed) {
  if (configurations(shape) > kMaxVisited) return std::nullopt;
  bool found = false;
  std::vector<State> x(shape.size(), 0);
  do {
    if (potential.score(x) == kForbidden) continue;
    bool possible = true;
    for (std::size_t j = 0; j < x.size() && possible; ++j) possible = allowed.contains(j, x[j]);
    found |= possible;
  } while (next_configuration(shape, x));
  return found;
}

std::optional<bool> feasible(const Potential& potential, Shape shape, const Allowed& allowed,
                             const Budget& budget) {
  const auto oracle = potential.oracle(allowed.left());
  if (oracle == nullptr) return feasible_by_visiting(potential, shape, allowed);
  if (oracle->layout().arity() == 0) {
    std::vector<State> x;
    for (const auto* states : allowed.left()) x.push_back(states->front());
    return potential.score(x) != kForbidden;
  }
  TimeCheck time(budget.deadline());
  const bool answer = oracle->feasible(time);
  if (time.late(0)) budget.check_time();
  return answer;
}

// Scores random joint states; score() throws where the sum is negative.
void sample(const Potential& potential, Shape shape) {
  Rng rng;
  std::vector<State> x(shape.size());
  for (int i = 0; i < kSamples; ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<State>(rng.below(shape[j]));
    potential.score(x);
  }
}

std::optional<Finding> look_at(const FactorGraph& graph, FactorId c, const Budget& budget) {
  const Potential& potential = graph.potential(c);
  const std::vector<State> shape = graph.shape(c);
  const Allowed allowed(graph, c);
  // A variable without any state has been reported already; its factors have nothing to add.
  if (allowed.any_empty()) return {};
  try {
    const std::optional<bool> answer = feasible(potential, shape, allowed, budget);
    if (answer == false) {
      return Finding{Severity::infeasible, graph.describe(c), "every joint state is forbidden"};
    }
    if (answer) return {};
    sample(potential, shape);
    return Finding{Severity::note, graph.describe(c),
                   fmt::format("too large to visit, looked at {} random joint states", kSamples)};
  } catch (const Error& error) {
    if (out_of_time(error.code())) throw;
    return Finding{Severity::invalid, graph.describe(c), error.what()};
  }
}

// Elements of an array that stand side by side in no factor are one note: "x[3..7]".
void look_at_variables(const FactorGraph& graph, const NameBlock& block,
                       std::vector<Finding>& findings) {
  const VariableId end = block.first + block.count;
  for (VariableId v = block.first; v < end; ++v) {
    if (std::ranges::all_of(graph.unary(v), [](double value) { return value == kForbidden; })) {
      findings.push_back({Severity::infeasible, graph.name(v), "every state is forbidden"});
    }
    if (!graph.edges(v).empty()) continue;
    if (v > block.first && graph.edges(v - 1).empty()) continue;  // said already
    VariableId last = v;
    while (last + 1 < end && graph.edges(last + 1).empty()) ++last;
    findings.push_back(last == v ? Finding{Severity::note, graph.name(v), "is in no factor"}
                                 : Finding{Severity::note,
                                           fmt::format("{}[{}..{}]", block.name, v - block.first,
                                                       last - block.first),
                                           "are in no factor"});
  }
}

}  // namespace

std::vector<Finding> local_findings(const FactorGraph& graph, const Deadline& deadline) {
  const Budget budget("check", Budget::kNoLimit, deadline);
  std::vector<Finding> findings;
  for (const NameBlock& block : graph.names().blocks()) {
    look_at_variables(graph, block, findings);
    budget.check_time();
  }
  if (graph.constant() == kForbidden) {
    findings.push_back({Severity::infeasible, "constant", "is zero, which forbids everything"});
  }
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    budget.check_time();
    if (auto finding = look_at(graph, c, budget)) findings.push_back(std::move(*finding));
  }
  return findings;
}

}  // namespace fgnn
