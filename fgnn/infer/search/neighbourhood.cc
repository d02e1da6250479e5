#include "fgnn/infer/search/neighbourhood.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <queue>
#include <tuple>

#include "fgnn/core/budget.h"

namespace fgnn::search {
namespace {

using Id = std::uint32_t;

// Wider factors than this are no cliques of the game, which would be quadratic in their variables;
// elimination counts along them instead, or refuses the neighbourhood.
constexpr std::size_t kWidestClique = 64;

// Noise on scores, so that draws differ: in log2 of joint states, and as a share of degrees.
constexpr double kOrderNoise = 1, kHoldNoise = 0.5;

class Game {
 public:
  Game(const std::vector<double>& log2, std::vector<std::vector<Id>> neighbours, double limit,
       Rng& rng)
      : log2_(log2),
        neighbours_(std::move(neighbours)),
        limit_(limit),
        rng_(rng),
        version_(neighbours_.size(), 0) {}

  Neighbourhood play() {
    result_.free.assign(neighbours_.size(), 0);
    for (Id v = 0; v < neighbours_.size(); ++v) {
      if (log2_[v] > 0) queue(v);
    }
    while (!heap_.empty()) {
      const auto [score, v, version] = heap_.top();
      heap_.pop();
      if (version != version_[v]) continue;
      if (clique_log2(v) > limit_) {
        hold(most_joined(v));
      } else {
        eliminate(v);
      }
    }
    return std::move(result_);
  }

 private:
  using Entry = std::tuple<double, Id, std::uint32_t>;
  static constexpr std::uint32_t kGone = ~0u;

  double clique_log2(Id v) const {
    double sum = log2_[v];
    for (Id u : neighbours_[v]) sum += log2_[u];
    return sum;
  }

  void queue(Id v) {
    heap_.emplace(clique_log2(v) + rng_.uniform(0, kOrderNoise), v, ++version_[v]);
  }

  Id most_joined(Id v) {
    const auto degree = [&](Id u) {
      return static_cast<double>(neighbours_[u].size()) * rng_.uniform(1 - kHoldNoise, 1);
    };
    Id best = v;
    double most = degree(v);
    for (Id u : neighbours_[v]) {
      const double own = degree(u);
      if (own > most) std::tie(most, best) = std::tuple(own, u);
    }
    return best;
  }

  // Takes v out; what its neighbours weigh has changed.
  std::vector<Id> take(Id v) {
    version_[v] = kGone;
    std::vector<Id> around = std::move(neighbours_[v]);
    neighbours_[v].clear();
    for (Id u : around) {
      auto& mine = neighbours_[u];
      mine.erase(std::ranges::lower_bound(mine, v));
    }
    return around;
  }

  void hold(Id v) {
    ++result_.held;
    for (Id u : take(v)) queue(u);
  }

  void eliminate(Id v) {
    result_.free[v] = 1;
    const std::vector<Id> around = take(v);
    for (Id u : around) {
      merged_.clear();
      std::ranges::set_union(neighbours_[u], around, std::back_inserter(merged_));
      merged_.erase(std::ranges::lower_bound(merged_, u));
      neighbours_[u].assign(merged_.begin(), merged_.end());
      queue(u);
    }
  }

  const std::vector<double>& log2_;
  std::vector<std::vector<Id>> neighbours_;
  double limit_;
  Rng& rng_;
  std::vector<std::uint32_t> version_;
  std::vector<Id> merged_;
  Neighbourhood result_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

}  // namespace

Neighbourhoods::Neighbourhoods(const FactorGraph& graph, const Domains& domains,
                               const Deadline& deadline)
    : log2_(graph.num_variables(), 0.0), neighbours_(graph.num_variables()) {
  const Budget budget("search", Budget::kNoLimit, deadline);
  TimeCheck time(budget.deadline());
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    log2_[v] = std::log2(static_cast<double>(domains.allowed[v].size()));
    largest_ += log2_[v];
  }
  std::vector<Id> open;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    open.clear();
    std::ranges::copy_if(graph.scope(c), std::back_inserter(open),
                         [&](VariableId v) { return log2_[v] > 0; });
    if (open.size() > kWidestClique) continue;
    for (Id v : open) {
      for (Id u : open) {
        if (u != v) neighbours_[v].push_back(u);
      }
    }
    if (time.late(open.size() * open.size() + 1)) budget.check_time();
  }
  for (auto& list : neighbours_) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

Neighbourhood Neighbourhoods::draw(double log2_states, Rng& rng) const {
  return Game(log2_, neighbours_, log2_states, rng).play();
}

}  // namespace fgnn::search
