#include "fgnn/infer/feasibility.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "fgnn/core/budget.h"
#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn {
namespace {

// Joint states visited per factor; above this a low-rank sum is sampled and others are ignored.
constexpr std::uint64_t kMaxVisited = std::uint64_t{1} << 20;
constexpr int kSamples = 1 << 16;

// The states that the unary potentials leave to each variable of a factor.
class Allowed {
 public:
  Allowed(const FactorGraph& graph, FactorId c) : graph_(graph), scope_(graph.scope(c)) {}
  std::size_t size() const { return scope_.size(); }
  State states(std::size_t j) const { return graph_.states(scope_[j]); }
  bool contains(std::size_t j, State x) const { return graph_.unary(scope_[j])[x] != kForbidden; }
  // How many of the allowed states at position j are as asked.
  template <class Asked>
  State count(std::size_t j, Asked asked) const {
    State found = 0;
    for (State x = 0; x < states(j); ++x) found += contains(j, x) && asked(x);
    return found;
  }
  State count(std::size_t j) const {
    return count(j, [](State) { return true; });
  }

 private:
  const FactorGraph& graph_;
  std::span<const VariableId> scope_;
};

// Each position adds nought or one, so every count between the forced and the possible is reached.
bool feasible(const Count& count, const Allowed& allowed) {
  std::size_t least = 0, most = 0;
  for (std::size_t j = 0; j < allowed.size(); ++j) {
    const State chosen = allowed.count(j, [&](State x) { return count.is_chosen(j, x); });
    least += chosen == allowed.count(j);
    most += chosen > 0;
  }
  for (std::size_t k = least; k <= most; ++k) {
    if (count.value(k) != kForbidden) return true;
  }
  return false;
}

bool feasible(const Parity& parity, const Allowed& allowed) {
  bool sum = false;
  for (std::size_t j = 0; j < allowed.size(); ++j) {
    if (allowed.count(j) > 1) return true;
    sum ^= allowed.contains(j, 1);
  }
  return sum == parity.odd();
}

// Distinct states for all variables are a matching that covers them (Kuhn's augmenting paths).
class Matching {
 public:
  Matching(const Allowed& allowed, const Budget& budget)
      : allowed_(allowed), budget_(budget), time_(budget.deadline()) {
    for (std::size_t j = 0; j < allowed.size(); ++j) {
      owner_.resize(std::max<std::size_t>(owner_.size(), allowed.states(j)), kNobody);
    }
  }
  bool covers_all() {
    if (allowed_.size() > owner_.size()) return false;
    for (std::size_t j = 0; j < allowed_.size(); ++j) {
      tried_.assign(owner_.size(), false);
      if (!place(j)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  bool place(std::size_t j) {
    if (time_.late(allowed_.states(j))) budget_.check_time();
    // A state that is free, before anybody is asked to move.
    for (State x = 0; x < allowed_.states(j); ++x) {
      if (owner_[x] != kNobody || !allowed_.contains(j, x)) continue;
      owner_[x] = j;
      return true;
    }
    for (State x = 0; x < allowed_.states(j); ++x) {
      if (tried_[x] || !allowed_.contains(j, x)) continue;
      tried_[x] = true;
      if (place(owner_[x])) {
        owner_[x] = j;
        return true;
      }
    }
    return false;
  }

  const Allowed& allowed_;
  const Budget& budget_;
  TimeCheck time_;
  std::vector<std::size_t> owner_;
  std::vector<bool> tried_;
};

bool feasible(const Sparse& sparse, const Allowed& allowed) {
  std::vector<State> shape;
  for (std::size_t j = 0; j < allowed.size(); ++j) shape.push_back(allowed.count(j));
  std::uint64_t listed = 0;
  for (std::size_t i = 0; i < sparse.size(); ++i) {
    const auto row = sparse.row(i);
    bool possible = true;
    for (std::size_t j = 0; j < row.size() && possible; ++j) {
      possible = allowed.contains(j, row[j]);
    }
    if (possible && sparse.value(i) != kForbidden) return true;
    listed += possible;
  }
  return sparse.otherwise() != kForbidden && listed < configurations(shape);
}

bool feasible(const MaxRankOne& potential, const Allowed& allowed) {
  for (std::size_t z = 0; z < potential.size(); ++z) {
    std::size_t offset = 0, possible = 0;
    for (std::size_t j = 0; j < allowed.size(); ++j) {
      const auto fits = [&](State x) { return potential.term(z)[offset + x] != kForbidden; };
      possible += allowed.count(j, fits) > 0;
      offset += potential.shape()[j];
    }
    if (possible == allowed.size()) return true;
  }
  return false;
}

// Any other kind: look at every joint state, all of them, since a low-rank sum may turn negative
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
  if (const auto* p = dynamic_cast<const Count*>(&potential)) return feasible(*p, allowed);
  if (const auto* p = dynamic_cast<const Parity*>(&potential)) return feasible(*p, allowed);
  if (const auto* p = dynamic_cast<const Sparse*>(&potential)) return feasible(*p, allowed);
  if (const auto* p = dynamic_cast<const MaxRankOne*>(&potential)) return feasible(*p, allowed);
  if (dynamic_cast<const AllDifferent*>(&potential)) return Matching(allowed, budget).covers_all();
  return feasible_by_visiting(potential, shape, allowed);
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
  for (std::size_t j = 0; j < allowed.size(); ++j) {
    if (allowed.count(j) == 0) return {};
  }
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
    if (error.code() == ErrorCode::time_limit) throw;
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
