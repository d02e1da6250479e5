#include "fgnn/infer/exact/order.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <queue>
#include <tuple>

#include "fgnn/core/budget.h"

namespace fgnn::exact {
namespace {

using Id = std::uint32_t;

class Game {
 public:
  Game(InteractionGraph graph, Rule rule, Rng* rng, const Limits& limits)
      : graph_(std::move(graph)),
        rule_(rule),
        rng_(rng),
        limits_(limits),
        time_(limits_.deadline),
        version_(graph_.neighbours.size(), 0),
        mark_(graph_.neighbours.size(), 0) {}

  Order play() {
    const std::size_t n = graph_.neighbours.size();
    order_.sequence.reserve(n);
    if (rule_ == Rule::breadth_first) rank_ = breadth_first_ranks(graph_);
    for (Id v = 0; v < n && !late_; ++v) queue(v);
    if (late_) order_.complete = false;
    while (!heap_.empty() && order_.complete) {
      const auto [score, tie, v, version] = heap_.top();
      heap_.pop();
      if (version != version_[v]) continue;
      if (!eliminate(v)) break;
    }
    return std::move(order_);
  }

 private:
  using Entry = std::tuple<double, std::uint64_t, Id, std::uint32_t>;
  static constexpr std::uint32_t kGone = ~0u;
  static constexpr std::size_t kElimination = 1024;  // its time, in visits of a neighbour

  double clique_log2(Id v) const {
    double sum = graph_.log2_states[v];
    for (Id u : graph_.neighbours[v]) sum += graph_.log2_states[u];
    return sum;
  }

  double score(Id v) {
    const auto& around = graph_.neighbours[v];
    visit(around.size());
    if (rule_ == Rule::min_weight || rule_ == Rule::growing) return clique_log2(v);
    if (rule_ == Rule::as_numbered) return v;
    if (rule_ == Rule::breadth_first) return rank_[v];
    const bool weighted = rule_ == Rule::weighted_min_fill;
    const auto weight = [&](Id u) { return weighted ? graph_.log2_states[u] : 1.0; };
    ++stamp_;
    double sum = 0, squares = 0, joined = 0;
    for (Id u : around) {
      mark_[u] = stamp_;
      sum += weight(u);
      squares += weight(u) * weight(u);
    }
    for (Id u : around) {
      visit(graph_.neighbours[u].size());
      if (late_) return 0;
      for (Id w : graph_.neighbours[u]) {
        if (w < u && mark_[w] == stamp_) joined += weight(u) * weight(w);
      }
    }
    return std::max(0.0, (sum * sum - squares) / 2 - joined);
  }

  // Effort, by which time is looked at as well.
  void visit(std::size_t neighbours) {
    order_.work += static_cast<double>(neighbours);
    late_ = time_.late(1 + neighbours);
  }

  // Ties go to the first variable or to chance. On regular graphs the first variable gives orders
  // that sweep from one side, which chance does not find.
  void queue(Id v) {
    const std::uint64_t tie = rng_ ? (*rng_)() : v;
    heap_.emplace(score(v), tie, v, ++version_[v]);
  }

  bool eliminate(Id v) {
    const std::vector<Id> around = std::move(graph_.neighbours[v]);
    graph_.neighbours[v].clear();
    double separator = 0;
    for (Id u : around) separator += graph_.log2_states[u];
    const double clique = separator + graph_.log2_states[v];
    order_.width = std::max(order_.width, around.size());
    order_.log2_largest = std::max(order_.log2_largest, clique);
    order_.operations += std::exp2(clique);
    order_.message_entries += std::exp2(separator);
    order_.sequence.push_back(v);
    version_[v] = kGone;
    order_.work += 1;
    late_ = time_.late(kElimination + around.size());
    if (clique > limits_.hopeless || order_.operations > limits_.operations || late_) {
      order_.complete = false;
      return false;
    }

    bool filled = false;
    for (Id u : around) {
      auto& mine = graph_.neighbours[u];
      late_ = time_.late(mine.size());
      merged_.clear();
      std::set_union(mine.begin(), mine.end(), around.begin(), around.end(),
                     std::back_inserter(merged_));
      std::erase_if(merged_, [&](Id w) { return w == u || w == v; });
      filled |= merged_.size() >= mine.size();  // mine still counts v
      mine.assign(merged_.begin(), merged_.end());
    }
    // New pairs change the fill of every common neighbour; without them only `around` changed.
    std::vector<Id> touched = around;
    const bool by_fill = rule_ == Rule::min_fill || rule_ == Rule::weighted_min_fill;
    if (filled && by_fill) {
      for (Id u : around) {
        const auto& mine = graph_.neighbours[u];
        touched.insert(touched.end(), mine.begin(), mine.end());
      }
      std::sort(touched.begin(), touched.end());
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    }
    const bool fixed = rule_ == Rule::as_numbered || rule_ == Rule::breadth_first;
    if (!fixed) {
      for (Id u : touched) queue(u);
    }
    return true;
  }

  InteractionGraph graph_;
  Rule rule_;
  Rng* rng_;
  Limits limits_;
  TimeCheck time_;
  bool late_ = false;
  std::vector<double> rank_;
  Order order_;
  std::vector<std::uint32_t> version_;
  std::vector<std::uint64_t> mark_;
  std::uint64_t stamp_ = 0;
  std::vector<Id> merged_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

}  // namespace

// From any variable go to the last one reached, and start there.
std::vector<double> breadth_first_ranks(const InteractionGraph& graph) {
  const std::size_t n = graph.neighbours.size();
  std::vector<double> rank(n, -1);
  double next = 0;
  std::vector<char> seen(n, 0);
  const auto visit = [&](Id start, auto&& on_visit) {
    std::vector<Id> reached{start};
    seen[start] = 1;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      on_visit(reached[i]);
      for (Id u : graph.neighbours[reached[i]]) {
        if (!seen[u]) {
          seen[u] = 1;
          reached.push_back(u);
        }
      }
    }
    return reached;
  };
  for (Id v = 0; v < n; ++v) {
    if (rank[v] >= 0) continue;
    const auto component = visit(v, [](Id) {});
    for (Id u : component) seen[u] = 0;
    visit(component.back(), [&](Id u) { rank[u] = next++; });
  }
  return rank;
}

void InteractionGraph::join(const std::vector<std::uint32_t>& scope) {
  for (Id v : scope) {
    auto& mine = neighbours[v];
    for (Id u : scope) {
      if (u != v) mine.push_back(u);
    }
    // Factors on the same variables would list them over and over.
    if (mine.size() >= 64 && mine.size() >= 2 * tidied_[v]) tidy(v);
  }
}

void InteractionGraph::tidy(std::uint32_t v) {
  auto& list = neighbours[v];
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  tidied_[v] = static_cast<std::uint32_t>(list.size());
}

void InteractionGraph::finish() {
  for (Id v = 0; v < neighbours.size(); ++v) tidy(v);
  tidied_ = {};
}

Order play(InteractionGraph graph, Rule rule, Rng* rng, const Limits& limits) {
  return Game(std::move(graph), rule, rng, limits).play();
}

}  // namespace fgnn::exact
