#include "fgnn/infer/forests/forests.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fgnn/core/random.h"

namespace fgnn {
namespace {

// Forests beyond those that are needed make shares even.
constexpr std::size_t kAtLeast = 12;

class Cover {
 public:
  Cover(const FactorGraph& graph, std::uint64_t seed, Budget& budget)
      : graph_(graph),
        rng_(seed),
        budget_(budget),
        time_(budget.deadline()),
        times_(graph.num_factors(), 0),
        part_(graph.num_variables()) {}

  Forests run() {
    Forests result;
    std::size_t covered = 0, needed = 0;
    while (true) {
      budget_.take(sizeof(Branch) * graph_.num_factors() + sizeof(VariableId) * part_.size());
      const std::vector<char> taken = draw(covered);
      result.all.push_back(rooted(taken));
      const bool complete = covered == graph_.num_factors();
      if (complete && needed == 0) needed = result.all.size();
      if (complete && (needed == 1 || result.all.size() >= std::max(kAtLeast, 2 * needed))) break;
    }
    for (const std::uint32_t n : times_) {
      result.share.push_back(static_cast<double>(n) / static_cast<double>(result.all.size()));
    }
    return result;
  }

 private:
  VariableId top(VariableId v) {
    while (part_[v] != v) v = part_[v] = part_[part_[v]];
    return v;
  }

  void spend(std::size_t steps) {
    if (time_.late(8 * steps)) budget_.check_time();
  }

  // Whether the factor joins trees that were apart, all of them different.
  bool joins(FactorId c) {
    const auto scope = graph_.scope(c);
    spend(scope.size());
    tops_.clear();
    for (VariableId v : scope) tops_.push_back(top(v));
    std::ranges::sort(tops_);
    if (std::ranges::adjacent_find(tops_) != tops_.end()) return false;
    for (VariableId v : tops_) part_[v] = tops_[0];
    return true;
  }

  std::vector<char> draw(std::size_t& covered) {
    std::iota(part_.begin(), part_.end(), VariableId{0});
    std::vector<std::pair<std::uint64_t, FactorId>> order;
    for (FactorId c = 0; c < times_.size(); ++c) {
      order.emplace_back((std::uint64_t{times_[c]} << 32) | (rng_() >> 32), c);
    }
    std::ranges::sort(order);
    std::vector<char> taken(times_.size(), 0);
    for (const auto& [rank, c] : order) {
      if (!joins(c)) continue;
      taken[c] = 1;
      covered += times_[c]++ == 0;
    }
    return taken;
  }

  // Breadth first from one variable of each tree, then turned round.
  Forest rooted(const std::vector<char>& taken) {
    Forest forest;
    std::vector<char> seen(part_.size(), 0), done(taken.size(), 0);
    std::vector<VariableId> queue;
    for (VariableId root = 0; root < seen.size(); ++root) {
      if (seen[root]) continue;
      forest.roots.push_back(root);
      seen[root] = 1;
      queue.assign(1, root);
      for (std::size_t i = 0; i < queue.size(); ++i) {
        for (EdgeId e : graph_.edges(queue[i])) {
          const FactorId c = graph_.factor_of(e);
          if (!taken[c] || done[c]) continue;
          done[c] = 1;
          forest.branches.push_back({c, e});
          spend(graph_.arity(c));
          for (VariableId v : graph_.scope(c)) {
            if (!std::exchange(seen[v], char{1})) queue.push_back(v);
          }
        }
      }
    }
    std::ranges::reverse(forest.branches);
    return forest;
  }

  const FactorGraph& graph_;
  Rng rng_;
  Budget& budget_;
  TimeCheck time_;
  std::vector<std::uint32_t> times_;  // per factor: forests that contain it
  std::vector<VariableId> part_, tops_;
};

}  // namespace

Forests cover(const FactorGraph& graph, std::uint64_t seed, Budget& budget) {
  return Cover(graph, seed, budget).run();
}

}  // namespace fgnn
