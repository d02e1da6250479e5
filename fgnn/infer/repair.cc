#include "fgnn/infer/repair.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fgnn/core/random.h"
#include "fgnn/potentials/count.h"

namespace fgnn {
namespace {

constexpr std::size_t kStepsPerVariable = 20;
constexpr std::size_t kTabu = 5;  // steps during which a changed variable is left alone

// How bad a joint state is: first the violation, then the score.
struct Quality {
  double violation = 0, score = 0;
  bool better_than(const Quality& o) const {
    return violation != o.violation ? violation < o.violation : score > o.score + 1e-12;
  }
};

class Search {
 public:
  Search(const FactorGraph& graph, std::vector<State> x, std::uint64_t seed)
      : graph_(graph), x_(std::move(x)), rng_(seed), quality_(graph.num_factors()) {
    count_.resize(graph.num_factors());
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      count_[c].potential = dynamic_cast<const Count*>(&graph.potential(c));
      if (count_[c].potential) count_[c].chosen = count_chosen(c);
      quality_[c] = of_factor(c);
      total_ += quality_[c].violation;
    }
    for (VariableId v = 0; v < graph.num_variables(); ++v) total_ += of_unary(v).violation;
  }

  void make_feasible() {
    last_change_.assign(graph_.num_variables(), 0);
    const std::size_t most = 100 + kStepsPerVariable * graph_.num_variables();
    for (std::size_t step = kTabu + 1; total_ > 0 && step < most; ++step) {
      const auto candidates = variables_of_a_violation();
      VariableId best_v = 0;
      State best_x = 0;
      bool found = false;
      Quality best;
      for (VariableId v : candidates) {
        if (step - last_change_[v] <= kTabu && last_change_[v] > 0) continue;
        for (State x = 0; x < graph_.states(v); ++x) {
          if (x == x_[v]) continue;
          const Quality change = change_by(v, x);
          if (found && !change.better_than(best)) continue;
          std::tie(best_v, best_x, best, found) = std::tuple(v, x, change, true);
        }
      }
      if (!found) continue;
      set(best_v, best_x);
      last_change_[best_v] = step;
    }
  }

  // A variable in its best state is looked at again only when one that it shares a factor with
  // changes.
  void climb() {
    std::vector<char> settled(graph_.num_variables(), 0);
    for (bool improved = true; improved && total_ == 0;) {
      improved = false;
      for (VariableId v = 0; v < graph_.num_variables(); ++v) {
        if (settled[v]) continue;
        settled[v] = 1;
        for (State x = 0; x < graph_.states(v); ++x) {
          if (x == x_[v] || !improves(v, x)) continue;
          set(v, x);
          improved = true;
          for (EdgeId e : graph_.edges(v)) {
            for (VariableId u : graph_.scope(graph_.factor_of(e))) settled[u] = 0;
          }
        }
      }
    }
  }

  bool feasible() const { return total_ == 0; }
  const std::vector<State>& assignment() const { return x_; }

 private:
  Quality of_unary(VariableId v) const {
    const double value = graph_.unary(v)[x_[v]];
    return value == kForbidden ? Quality{1, 0} : Quality{0, value};
  }

  // Counting factors are most of the work where there are any, so their counts are kept.
  struct Counted {
    const Count* potential = nullptr;  // of other kinds: null
    std::size_t chosen = 0;            // variables in chosen states
  };

  std::size_t count_chosen(FactorId c) const {
    std::size_t chosen = 0;
    const auto scope = graph_.scope(c);
    for (std::size_t j = 0; j < scope.size(); ++j) {
      chosen += count_[c].potential->is_chosen(j, x_[scope[j]]);
    }
    return chosen;
  }

  Quality of_count(FactorId c, std::size_t chosen) const {
    const Count& count = *count_[c].potential;
    if (const double value = count.value(chosen); value != kForbidden) return {0, value};
    const std::size_t most = graph_.arity(c);
    double nearest = static_cast<double>(most) + 1;
    for (std::size_t k = 0; k <= most; ++k) {
      if (count.value(k) == kForbidden) continue;
      nearest = std::min(nearest, std::abs(static_cast<double>(k) - static_cast<double>(chosen)));
    }
    return {nearest, 0};
  }

  Quality of_factor(FactorId c) {
    if (count_[c].potential) return of_count(c, count_[c].chosen);
    local_.clear();
    for (VariableId v : graph_.scope(c)) local_.push_back(x_[v]);
    const double value = graph_.potential(c).score(local_);
    return value == kForbidden ? Quality{1, 0} : Quality{0, value};
  }

  // The count of a counting factor when the variable of an edge leaves one state for another.
  std::size_t chosen_after(EdgeId e, State from, State to) const {
    const FactorId c = graph_.factor_of(e);
    const Count& count = *count_[c].potential;
    const std::size_t j = e - graph_.first_edge(c);
    return count_[c].chosen - count.is_chosen(j, from) + count.is_chosen(j, to);
  }

  // Whether changing v to x breaks nothing and gains something, where nothing is broken now.
  bool improves(VariableId v, State x) {
    const Quality change = change_by(v, x, /*stop_when_broken=*/true);
    return change.better_than({0, 0});
  }

  // What changing v to x would do to violation and score. Where nothing is broken now, the first
  // violation may be all that is asked for.
  Quality change_by(VariableId v, State x, bool stop_when_broken = false) {
    const Quality before = of_unary(v);
    const State old = std::exchange(x_[v], x);
    Quality change = of_unary(v);
    change.violation -= before.violation;
    change.score -= before.score;
    for (EdgeId e : graph_.edges(v)) {
      const FactorId c = graph_.factor_of(e);
      const Quality now = count_[c].potential ? of_count(c, chosen_after(e, old, x)) : of_factor(c);
      change.violation += now.violation - quality_[c].violation;
      change.score += now.score - quality_[c].score;
      if (stop_when_broken && change.violation > 0) break;
    }
    x_[v] = old;
    return change;
  }

  void set(VariableId v, State x) {
    total_ -= of_unary(v).violation;
    const State old = std::exchange(x_[v], x);
    total_ += of_unary(v).violation;
    for (EdgeId e : graph_.edges(v)) {
      const FactorId c = graph_.factor_of(e);
      total_ -= quality_[c].violation;
      if (count_[c].potential) count_[c].chosen = chosen_after(e, old, x);
      quality_[c] = of_factor(c);
      total_ += quality_[c].violation;
    }
  }

  // Of a violated unary, or else of a violated factor taken at random.
  std::vector<VariableId> variables_of_a_violation() {
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      if (of_unary(v).violation > 0) return {v};
    }
    std::vector<FactorId> broken;
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      if (quality_[c].violation > 0) broken.push_back(c);
    }
    if (broken.empty()) return {};
    const auto scope = graph_.scope(broken[rng_.below(broken.size())]);
    return {scope.begin(), scope.end()};
  }

  const FactorGraph& graph_;
  std::vector<State> x_, local_;
  Rng rng_;
  std::vector<Quality> quality_;
  std::vector<Counted> count_;
  std::vector<std::size_t> last_change_;
  double total_ = 0;
};

}  // namespace

Repair repair(const FactorGraph& graph, std::vector<State> assignment, std::uint64_t seed) {
  Repair result;
  Search search(graph, assignment, seed);
  search.make_feasible();
  search.climb();
  if (search.feasible()) {
    result.assignment = search.assignment();
    result.score = graph.score(result.assignment);
    result.feasible = result.score != kForbidden;
    for (std::size_t v = 0; v < assignment.size(); ++v) {
      result.changes += assignment[v] != result.assignment[v];
    }
  } else {
    result.score = graph.score(assignment);
    result.assignment = std::move(assignment);
  }
  return result;
}

}  // namespace fgnn
