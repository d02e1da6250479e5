#include "fgnn/infer/repair.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "fgnn/core/budget.h"
#include "fgnn/core/random.h"
#include "fgnn/graph/assignment.h"

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

// A set of numbers below n that knows its k-th smallest: a Fenwick tree of counts.
class RankedSet {
 public:
  explicit RankedSet(std::size_t n) : in_(n, 0), tree_(n + 1, 0) {}
  std::size_t size() const { return size_; }
  void set(std::size_t i, bool in) {
    if (in_[i] == in) return;
    in_[i] = in;
    in ? ++size_ : --size_;
    for (std::size_t k = i + 1; k < tree_.size(); k += k & -k) in ? ++tree_[k] : --tree_[k];
  }
  // The element that `rank` others are below.
  std::size_t at(std::size_t rank) const {
    std::size_t place = 0;
    for (std::size_t step = std::bit_floor(tree_.size()); step > 0; step /= 2) {
      if (place + step >= tree_.size() || tree_[place + step] > rank) continue;
      place += step;
      rank -= tree_[place];
    }
    return place;
  }

 private:
  std::vector<char> in_;
  std::vector<std::uint32_t> tree_;
  std::size_t size_ = 0;
};

// By count: how far an allowed count is, one more than there are variables if none is.
std::vector<std::uint32_t> distances_of(const Counting& counting, std::size_t arity) {
  std::vector<std::uint32_t> away(arity + 1);
  const auto most = static_cast<std::uint32_t>(arity) + 1;
  for (std::size_t k = 0; k <= arity; ++k) {
    const std::uint32_t below = k > 0 ? std::min(away[k - 1], most - 1) + 1 : most;
    away[k] = counting.value(k) != kForbidden ? 0 : below;
  }
  for (std::size_t k = arity; k-- > 0;) away[k] = std::min(away[k], away[k + 1] + 1);
  return away;
}

// Factors that depend on how many of their variables are in chosen states are most of the work
// where there are any, so their counts are kept.
class Search {
 public:
  Search(const FactorGraph& graph, std::vector<State> x, std::uint64_t seed,
         const Deadline& deadline)
      : graph_(graph),
        x_(std::move(x)),
        rng_(seed),
        time_(deadline),
        steps_(graph.num_factors()),
        quality_(graph.num_factors()),
        chosen_(graph.num_factors(), 0),
        broken_(graph.num_factors()),
        broken_unaries_(graph.num_variables()) {
    for (FactorId c = 0; c < graph.num_factors() && !late_; ++c) {
      steps_[c] = graph.arity(c) + graph.potential(c).bytes() / sizeof(double);
      const Counting* counting = counting_.emplace_back(graph.potential(c).stored().counting);
      away_.push_back(counting != nullptr ? &distances(c, *counting) : nullptr);
      if (counting != nullptr) chosen_[c] = count_chosen(c, *counting);
      keep(c, of_factor(c));
    }
    for (VariableId v = 0; v < graph.num_variables(); ++v) keep_unary(v);
    complete_ = !late_;
  }

  void make_feasible() {
    last_change_.assign(graph_.num_variables(), 0);
    const std::size_t most = 100 + kStepsPerVariable * graph_.num_variables();
    for (std::size_t step = kTabu + 1; !feasible() && step < most && !late_; ++step) {
      const auto candidates = variables_of_a_violation();
      VariableId best_v = 0;
      State best_x = 0;
      bool found = false;
      Quality best;
      for (VariableId v : candidates) {
        if (step - last_change_[v] <= kTabu && last_change_[v] > 0) continue;
        for (State x = 0; x < graph_.states(v) && !late_; ++x) {
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
    // By a count of looks: when each variable was looked at, and when each factor changed.
    std::vector<std::uint64_t> looked(graph_.num_variables(), 0), changed(graph_.num_factors(), 1);
    std::uint64_t now = 1;
    const auto settled = [&](VariableId v) {
      if (looked[v] == 0) return false;
      return std::ranges::none_of(
          graph_.edges(v), [&](EdgeId e) { return changed[graph_.factor_of(e)] > looked[v]; });
    };
    for (bool improved = true; improved && feasible();) {
      improved = false;
      for (VariableId v = 0; v < graph_.num_variables() && !late_; ++v) {
        late_ = time_.late(1 + graph_.edges(v).size());
        if (settled(v)) continue;
        looked[v] = ++now;
        for (State x = 0; x < graph_.states(v) && !late_; ++x) {
          if (x == x_[v] || !improves(v, x)) continue;
          set(v, x);
          improved = true;
          ++now;
          for (EdgeId e : graph_.edges(v)) changed[graph_.factor_of(e)] = now;
        }
      }
    }
  }

  bool feasible() const { return complete_ && broken_.size() == 0 && broken_unaries_.size() == 0; }
  const std::vector<State>& assignment() const { return x_; }

 private:
  Quality of_unary(VariableId v) const {
    const double value = graph_.unary(v)[x_[v]];
    return value == kForbidden ? Quality{1, 0} : Quality{0, value};
  }

  bool counts(FactorId c) const { return away_[c] != nullptr; }

  std::size_t count_chosen(FactorId c, const Counting& counting) const {
    std::size_t chosen = 0;
    const auto scope = graph_.scope(c);
    for (std::size_t j = 0; j < scope.size(); ++j) chosen += counting.is_chosen(j, x_[scope[j]]);
    return chosen;
  }

  // Kept once for all factors that share a potential and have as many variables.
  const std::vector<std::uint32_t>& distances(FactorId c, const Counting& counting) {
    const std::size_t arity = graph_.arity(c);
    const auto [place, fresh] = distances_.try_emplace({graph_.potential_index(c), arity});
    if (fresh) place->second = distances_of(counting, arity);
    return place->second;
  }

  Quality of_count(FactorId c, std::size_t chosen) const {
    const std::uint32_t away = (*away_[c])[chosen];
    return away > 0 ? Quality{static_cast<double>(away), 0}
                    : Quality{0, counting_[c]->value(chosen)};
  }

  Quality of_factor(FactorId c) {
    if (counts(c)) return of_count(c, chosen_[c]);
    late_ = time_.late(steps_[c]);
    local_.clear();
    for (VariableId v : graph_.scope(c)) local_.push_back(x_[v]);
    const double value = graph_.potential(c).score(local_);
    return value == kForbidden ? Quality{1, 0} : Quality{0, value};
  }

  // The count of a counting factor when the variable of an edge leaves one state for another.
  std::size_t chosen_after(EdgeId e, State from, State to) const {
    const FactorId c = graph_.factor_of(e);
    const Counting& counting = *counting_[c];
    const std::size_t j = e - graph_.first_edge(c);
    return chosen_[c] - counting.is_chosen(j, from) + counting.is_chosen(j, to);
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
    late_ = time_.late(1 + graph_.edges(v).size());
    for (EdgeId e : graph_.edges(v)) {
      const FactorId c = graph_.factor_of(e);
      const Quality now = counts(c) ? of_count(c, chosen_after(e, old, x)) : of_factor(c);
      change.violation += now.violation - quality_[c].violation;
      change.score += now.score - quality_[c].score;
      if (stop_when_broken && change.violation > 0) break;
    }
    x_[v] = old;
    return change;
  }

  void set(VariableId v, State x) {
    const State old = std::exchange(x_[v], x);
    keep_unary(v);
    for (EdgeId e : graph_.edges(v)) {
      const FactorId c = graph_.factor_of(e);
      if (counts(c)) chosen_[c] = chosen_after(e, old, x);
      keep(c, of_factor(c));
    }
  }

  void keep(FactorId c, const Quality& quality) {
    quality_[c] = quality;
    broken_.set(c, quality.violation > 0);
  }
  void keep_unary(VariableId v) { broken_unaries_.set(v, of_unary(v).violation > 0); }

  // Of a violated unary, or else of a violated factor taken at random.
  std::vector<VariableId> variables_of_a_violation() {
    if (broken_unaries_.size() > 0) return {static_cast<VariableId>(broken_unaries_.at(0))};
    if (broken_.size() == 0) return {};
    const auto scope = graph_.scope(static_cast<FactorId>(broken_.at(rng_.below(broken_.size()))));
    return {scope.begin(), scope.end()};
  }

  const FactorGraph& graph_;
  std::vector<State> x_, local_;
  Rng rng_;
  TimeCheck time_;
  bool late_ = false, complete_ = false;  // complete: every factor was looked at
  std::vector<std::size_t> steps_;        // per factor: of scoring it, at most
  std::vector<Quality> quality_;
  std::vector<const Counting*> counting_;  // null: no counting factor
  std::vector<std::size_t> chosen_;        // per counting factor: variables in chosen states
  std::vector<const std::vector<std::uint32_t>*> away_;  // null: no counting factor
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::uint32_t>> distances_;
  RankedSet broken_, broken_unaries_;
  std::vector<std::size_t> last_change_;
};

}  // namespace

Repair repair(const FactorGraph& graph, std::vector<State> assignment, std::uint64_t seed,
              const Deadline& deadline) {
  check_assignment(graph, assignment);
  Repair result;
  Search search(graph, assignment, seed, deadline);
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
