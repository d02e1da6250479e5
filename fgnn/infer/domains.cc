#include "fgnn/infer/domains.h"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "fgnn/core/budget.h"
#include "fgnn/infer/table_store.h"

namespace fgnn {
namespace {

// Larger tables are not looked into: finding supports would cost as much as solving.
constexpr std::uint64_t kMostEntries = 1 << 14;

class Pruner {
 public:
  Pruner(const FactorGraph& graph, Domains& domains, const Deadline& deadline)
      : graph_(graph),
        domains_(domains),
        budget_("pruning", Budget::kNoLimit, deadline),
        time_(budget_.deadline()),
        queued_(graph.num_factors(), 0) {}

  void run() {
    for (FactorId c = 0; c < graph_.num_factors(); ++c) enqueue(c);
    while (!queue_.empty() && domains_.contradiction.empty()) {
      const FactorId c = queue_.front();
      queue_.pop_front();
      queued_[c] = 0;
      revise(c);
    }
  }

 private:
  // The factor's table if it is small and forbids anything, else empty; one of a shared potential
  // is made once, and only the last is kept.
  std::span<const double> table_of(FactorId c) {
    const std::uint32_t index = graph_.potential_index(c);
    if (index != last_index_ || graph_.shape(c) != last_shape_) {
      last_index_ = index;
      last_shape_ = graph_.shape(c);
      table_ = TableStore();
      last_ = {};
      if (configurations(last_shape_) <= kMostEntries) {
        last_ = table_.values(graph_, c);
        if (std::ranges::find(last_, kForbidden) == last_.end()) last_ = {};
      }
    }
    return last_;
  }

  void enqueue(FactorId c) {
    if (queued_[c]) return;
    queued_[c] = 1;
    queue_.push_back(c);
  }

  void revise(FactorId c) {
    if (time_.late(graph_.arity(c))) budget_.check_time();
    const std::span<const double> table = table_of(c);
    if (table.empty()) return;
    if (time_.late(table.size())) budget_.check_time();
    const auto scope = graph_.scope(c);
    std::vector<std::vector<char>> supported;
    std::vector<State> sizes;
    for (VariableId v : scope) {
      supported.emplace_back(domains_.allowed[v].size(), 0);
      sizes.push_back(static_cast<State>(domains_.allowed[v].size()));
    }
    std::vector<State> at(scope.size(), 0);
    do {
      std::size_t entry = 0;
      for (std::size_t i = 0; i < scope.size(); ++i) {
        entry = entry * last_shape_[i] + domains_.allowed[scope[i]][at[i]];
      }
      if (table[entry] == kForbidden) continue;
      for (std::size_t i = 0; i < scope.size(); ++i) supported[i][at[i]] = 1;
    } while (next_configuration(sizes, at));
    for (std::size_t i = 0; i < scope.size(); ++i) keep(c, scope[i], supported[i]);
  }

  void keep(FactorId c, VariableId v, const std::vector<char>& supported) {
    auto& allowed = domains_.allowed[v];
    std::vector<State> kept;
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      if (supported[i]) kept.push_back(allowed[i]);
    }
    if (kept.size() == allowed.size()) return;
    allowed = std::move(kept);
    if (allowed.empty()) {
      domains_.contradiction = graph_.describe(c) + " leaves no state for " + graph_.name(v);
      return;
    }
    for (EdgeId e : graph_.edges(v)) {
      if (graph_.factor_of(e) != c) enqueue(graph_.factor_of(e));
    }
  }

  const FactorGraph& graph_;
  Domains& domains_;
  Budget budget_;
  TimeCheck time_;
  std::deque<FactorId> queue_;
  std::vector<char> queued_;
  std::uint32_t last_index_ = ~0u;
  std::vector<State> last_shape_;
  std::span<const double> last_;
  TableStore table_;
};

}  // namespace

std::uint64_t domain_bytes(const FactorGraph& graph) {
  constexpr std::uint64_t kPerVariable = sizeof(std::vector<State>) + 32;  // with its allocation
  return kPerVariable * graph.num_variables() + sizeof(State) * graph.total_states();
}

Domains find_domains(const FactorGraph& graph, bool prune, const Deadline& deadline) {
  Domains result;
  result.allowed.resize(graph.num_variables());
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    auto& allowed = result.allowed[v];
    allowed.reserve(graph.states(v));
    for (State x = 0; x < graph.states(v); ++x) {
      if (!prune || graph.unary(v)[x] != kForbidden) allowed.push_back(x);
    }
    if (allowed.empty() && result.contradiction.empty()) {
      result.contradiction = "the unary potential of " + graph.name(v) + " forbids all its states";
    }
  }
  if (prune && result.contradiction.empty()) Pruner(graph, result, deadline).run();
  return result;
}

FactorGraph restricted(const FactorGraph& graph, const Domains& domains) {
  std::vector<double> unaries(graph.unaries().size(), kForbidden);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    for (State x : domains.allowed[v]) unaries[graph.state_offset(v) + x] = graph.unary(v)[x];
  }
  return graph.with_unaries(std::move(unaries));
}

}  // namespace fgnn
