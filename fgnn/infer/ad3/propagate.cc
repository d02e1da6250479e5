#include "fgnn/infer/ad3/propagate.h"

#include <algorithm>

#include "fgnn/core/budget.h"

namespace fgnn::admm {
namespace {

class Propagator {
 public:
  Propagator(const FactorGraph& graph, Domains& domains, const Deadline& deadline)
      : graph_(graph),
        domains_(domains),
        budget_("propagation", Budget::kNoLimit, deadline),
        time_(budget_.deadline()),
        queued_(graph.num_factors(), 0) {}

  void enqueue(FactorId c) {
    if (queued_[c]) return;
    queued_[c] = 1;
    queue_.push_back(c);
  }

  bool run() {
    while (!queue_.empty() && domains_.contradiction.empty()) {
      const FactorId c = queue_.back();
      spend(8 * graph_.arity(c));
      queue_.pop_back();
      queued_[c] = 0;
      revise(c);
    }
    return domains_.contradiction.empty();
  }

 private:
  void spend(std::uint64_t steps) {
    if (time_.late(steps)) budget_.check_time();
  }

  void revise(FactorId c) {
    const auto scope = graph_.scope(c);
    std::size_t open = 0, last = 0;
    for (std::size_t j = 0; j < scope.size(); ++j) {
      if (left(scope[j]).size() > 1) ++open, last = j;
    }
    if (open <= 1) {
      revise_alone(c, last);
    } else {
      Scope states(*this, c);
      graph_.potential(c).narrow(states);
    }
  }

  // The states left to a factor, as its potential sees them.
  class Scope final : public ScopeStates {
   public:
    Scope(Propagator& all, FactorId c) : all_(all), c_(c), scope_(all.graph_.scope(c)) {}
    std::size_t arity() const override { return scope_.size(); }
    const std::vector<State>& left(std::size_t j) const override { return all_.left(scope_[j]); }
    void keep(std::size_t j, const std::function<bool(State)>& fits) override {
      all_.keep(c_, scope_[j], fits);
    }
    void contradict() override { all_.contradict(c_); }
    bool contradicted() const override { return !all_.domains_.contradiction.empty(); }
    void spend(std::uint64_t steps) override { all_.spend(steps); }

   private:
    Propagator& all_;
    FactorId c_;
    std::span<const VariableId> scope_;
  };

  // All but position `at` are decided (that may be, too).
  void revise_alone(FactorId c, std::size_t at) {
    const auto scope = graph_.scope(c);
    x_.clear();
    for (const VariableId v : scope) x_.push_back(left(v).front());
    if (scope.empty()) {
      if (graph_.potential(c).score(x_) == kForbidden) contradict(c);
      return;
    }
    keep(c, scope[at], [&](State x) {
      x_[at] = x;
      return graph_.potential(c).score(x_) != kForbidden;
    });
  }

  template <class Fits>
  void keep(FactorId c, VariableId v, Fits fits) {
    if (std::erase_if(left(v), [&](State x) { return !fits(x); }) == 0) return;
    if (left(v).empty()) return contradict(c);
    for (const EdgeId e : graph_.edges(v)) enqueue(graph_.factor_of(e));
  }

  void contradict(FactorId c) {
    domains_.contradiction = graph_.describe(c) + " allows none of the joint states that are left";
  }

  std::vector<State>& left(VariableId v) { return domains_.allowed[v]; }

  const FactorGraph& graph_;
  Domains& domains_;
  Budget budget_;
  TimeCheck time_;
  std::vector<char> queued_;
  std::vector<FactorId> queue_;
  std::vector<State> x_;
};

}  // namespace

Domains states_left(const FactorGraph& graph) {
  Domains domains = find_domains(graph, false);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    auto& left = domains.allowed[v];
    std::erase_if(left, [&](State x) { return graph.unary(v)[x] == kForbidden; });
    if (left.empty()) {
      domains.contradiction = "the unary potential of " + graph.name(v) + " forbids all its states";
    }
  }
  return domains;
}

bool propagate(const FactorGraph& graph, Domains& domains, std::span<const VariableId> changed,
               const Deadline& deadline) {
  Propagator propagator(graph, domains, deadline);
  if (changed.empty()) {
    for (FactorId c = 0; c < graph.num_factors(); ++c) propagator.enqueue(c);
  }
  for (const VariableId v : changed) {
    for (const EdgeId e : graph.edges(v)) propagator.enqueue(graph.factor_of(e));
  }
  return domains.contradiction.empty() && propagator.run();
}

}  // namespace fgnn::admm
