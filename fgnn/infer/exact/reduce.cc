#include "fgnn/infer/exact/reduce.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "fgnn/core/budget.h"

namespace fgnn::exact {
namespace {

using Id = std::uint32_t;

class Reducer {
 public:
  Reducer(const InteractionGraph& graph, const Deadline& deadline)
      : log2_(graph.log2_states),
        neighbours_(graph.neighbours),
        time_(deadline),
        gone_(neighbours_.size(), 0),
        queued_(neighbours_.size(), 1),
        degree_(neighbours_.size()) {
    double edges = 0;
    for (Id v = 0; v < degree_.size(); ++v) {
      degree_[v] = static_cast<std::uint32_t>(neighbours_[v].size());
      edges += degree_[v];
      queue_.push_back(v);
    }
    most_work_ = kPerEdge * (edges + static_cast<double>(degree_.size()));
    least_ = least_largest_clique(graph);
  }

  Reduced run() {
    for (std::size_t i = 0; i < queue_.size() && result_.first.work < most_work_; ++i) {
      const Id v = queue_[i];
      queued_[v] = 0;
      if (gone_[v] || degree_[v] > kMostNeighbours) continue;
      if (time_.late(1 + degree_[v])) break;
      around_.clear();
      live(v, around_);
      if (goes_first(v)) remove(v);
    }
    add_components();
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t kMostNeighbours = 24;
  static constexpr double kPerEdge = 64;  // most effort, in visits of a neighbour
  // Cliques that are as large as the largest must be add up: those smaller by this do not matter.
  static constexpr double kMargin = 4;

  void live(Id v, std::vector<Id>& to) {
    auto& mine = neighbours_[v];
    result_.first.work += static_cast<double>(mine.size());
    if (mine.size() > 2 * degree_[v]) std::erase_if(mine, [&](Id u) { return gone_[u] != 0; });
    for (Id u : mine) {
      if (!gone_[u]) to.push_back(u);
    }
  }

  bool joined(Id a, Id b) {
    result_.first.work += 4;
    if (neighbours_[a].size() > neighbours_[b].size()) std::swap(a, b);
    return std::binary_search(neighbours_[a].begin(), neighbours_[a].end(), b);
  }

  // Whether `around_` is a clique, or one but for a neighbour that may be joined to the rest.
  bool goes_first(Id v) {
    lacking_.clear();
    double clique = log2_[v];
    for (Id u : around_) clique += log2_[u];
    const bool may_join = clique <= least_ - kMargin;
    for (std::size_t i = 0; i < around_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (joined(around_[i], around_[j])) continue;
        if (!may_join || lacking_.size() >= around_.size()) return false;
        lacking_.emplace_back(around_[i], around_[j]);
      }
    }
    if (lacking_.empty()) {
      least_ = std::max(least_, clique);  // every order has this one
      return true;
    }
    for (const Id u : {lacking_[0].first, lacking_[0].second}) {
      const bool all = std::ranges::all_of(
          lacking_, [u](const auto& pair) { return pair.first == u || pair.second == u; });
      if (all && log2_[u] <= log2_[v]) return true;
    }
    return false;
  }

  void remove(Id v) {
    for (const auto& [a, b] : lacking_) {
      insert(a, b);
      insert(b, a);
    }
    Order& order = result_.first;
    double separator = 0;
    for (Id u : around_) separator += log2_[u];
    const double clique = separator + log2_[v];
    order.width = std::max(order.width, around_.size());
    order.log2_largest = std::max(order.log2_largest, clique);
    order.operations += std::exp2(clique);
    order.message_entries += std::exp2(separator);
    order.sequence.push_back(v);
    gone_[v] = 1;
    for (Id u : around_) {
      --degree_[u];
      enqueue(u);
      if (lacking_.empty()) continue;
      // A new pair may make a common neighbour simplicial.
      if (degree_[u] > kMostNeighbours) continue;
      for (Id w : neighbours_[u]) {
        if (!gone_[w]) enqueue(w);
      }
    }
  }

  void insert(Id a, Id b) {
    auto& mine = neighbours_[a];
    result_.first.work += static_cast<double>(mine.size()) / 16;
    mine.insert(std::lower_bound(mine.begin(), mine.end(), b), b);
    ++degree_[a];
  }

  void enqueue(Id v) {
    if (queued_[v]) return;
    queued_[v] = 1;
    queue_.push_back(v);
  }

  void add_components() {
    std::vector<Id> local(neighbours_.size(), 0);
    std::vector<char> seen = gone_;
    for (Id start = 0; start < neighbours_.size(); ++start) {
      if (seen[start]) continue;
      std::vector<Id> members{start};
      seen[start] = 1;
      for (std::size_t i = 0; i < members.size(); ++i) {
        for (Id u : neighbours_[members[i]]) {
          if (seen[u]) continue;
          seen[u] = 1;
          members.push_back(u);
        }
      }
      std::sort(members.begin(), members.end());
      std::vector<double> log2;
      for (Id i = 0; i < members.size(); ++i) {
        local[members[i]] = i;
        log2.push_back(log2_[members[i]]);
      }
      InteractionGraph graph(std::move(log2));
      for (Id i = 0; i < members.size(); ++i) {
        for (Id u : neighbours_[members[i]]) {
          if (!gone_[u]) graph.neighbours[i].push_back(local[u]);
        }
      }
      result_.components.push_back({std::move(members), std::move(graph)});
    }
  }

  const std::vector<double>& log2_;
  std::vector<std::vector<Id>> neighbours_;  // sorted; some that are gone may be among them
  TimeCheck time_;
  std::vector<char> gone_, queued_;
  std::vector<std::uint32_t> degree_;
  std::vector<Id> queue_, around_;
  std::vector<std::pair<Id, Id>> lacking_;
  double most_work_ = 0, least_ = 0;
  Reduced result_;
};

}  // namespace

Reduced reduce(const InteractionGraph& graph, const Deadline& deadline) {
  return Reducer(graph, deadline).run();
}

double least_largest_clique(const InteractionGraph& graph) {
  const std::size_t n = graph.neighbours.size();
  std::vector<double> clique = graph.log2_states;
  using Entry = std::pair<double, Id>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  for (Id v = 0; v < n; ++v) {
    for (Id u : graph.neighbours[v]) clique[v] += graph.log2_states[u];
    heap.emplace(clique[v], v);
  }
  std::vector<char> gone(n, 0);
  double most = 0;
  while (!heap.empty()) {
    const auto [weight, v] = heap.top();
    heap.pop();
    if (gone[v] || weight != clique[v]) continue;
    gone[v] = 1;
    most = std::max(most, weight);
    for (Id u : graph.neighbours[v]) {
      if (gone[u]) continue;
      clique[u] -= graph.log2_states[v];
      heap.emplace(clique[u], u);
    }
  }
  return most;
}

}  // namespace fgnn::exact
