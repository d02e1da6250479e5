#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "fgnn/infer/exact/bit_game.h"
#include "fgnn/infer/exact/order.h"
#include "fgnn/infer/exact/reduce.h"

namespace fgnn::exact {
namespace {

using Id = std::uint32_t;

// A try of a greedy rule: how many of the best it chooses from.
struct Greedy {
  Rule rule;
  std::size_t pool;
};
constexpr std::array kGreedy{Greedy{Rule::min_fill, 1}, Greedy{Rule::weighted_min_fill, 1},
                             Greedy{Rule::min_fill, 3}, Greedy{Rule::min_weight, 2},
                             Greedy{Rule::growing, 1},  Greedy{Rule::growing, 3}};

// Every rule once without chance comes first.
constexpr std::array kFirst{Rule::min_fill, Rule::weighted_min_fill, Rule::min_weight,
                            Rule::as_numbered, Rule::breadth_first};

constexpr double kWorthIt = 2;     // joint states that a unit of work should stand for
constexpr double kMostWork = 4e9;  // of a search that nobody limits: some seconds
constexpr std::size_t kHopelessTries = 12;

bool cheaper(const Order& a, const Order& b) {
  if (a.complete != b.complete) return a.complete;
  return a.operations < b.operations;
}

class Search {
 public:
  Search(const InteractionGraph& graph, const Effort& effort, std::uint64_t stream,
         const Deadline& deadline)
      : graph_(graph), effort_(effort), stream_(stream), deadline_(deadline) {
    if (graph.neighbours.size() <= kMostBits) bits_.emplace(graph);
  }

  Order run() {
    const auto tries = static_cast<std::size_t>(std::max(1, effort_.tries));
    for (std::size_t i = 0; effort_.seconds > 0 || i < tries; ++i) {
      Order order = next(i);
      spent_ += order.work;
      if (i == 0 || cheaper(order, best_)) best_ = std::move(order);
      if (deadline_.expired() || enough(i + 1)) break;
    }
    return std::move(best_);
  }

 private:
  Order next(std::size_t i) {
    const Limits limits{
        .operations = best_.complete && i > 0 ? best_.operations : Limits().operations,
        .hopeless = effort_.hopeless,
        .deadline = deadline_};
    if (i < kFirst.size()) return first(kFirst[i], limits);
    const Greedy& greedy = kGreedy[i % kGreedy.size()];
    Rng rng(effort_.seed, stream_ + i);
    return bits_ ? bits_->play(greedy.rule, greedy.pool, &rng, limits)
                 : exact::play(graph_, greedy.rule, &rng, limits);
  }

  Order first(Rule rule, const Limits& limits) {
    if (!bits_) return exact::play(graph_, rule, nullptr, limits);
    const bool fixed = rule == Rule::as_numbered || rule == Rule::breadth_first;
    if (!fixed) return bits_->play(rule, 1, nullptr, limits);
    std::vector<Id> sequence(graph_.neighbours.size());
    std::iota(sequence.begin(), sequence.end(), Id{0});
    if (rule == Rule::breadth_first) {
      const auto rank = breadth_first_ranks(graph_);
      std::ranges::sort(sequence, {}, [&](Id v) { return rank[v]; });
    }
    return bits_->follow(sequence, limits);
  }

  bool enough(std::size_t tried) const {
    if (effort_.seconds > 0) return false;
    if (!best_.complete) return tried >= kHopelessTries;
    if (spent_ > kMostWork) return true;
    return best_.message_entries <= effort_.enough_entries && kWorthIt * spent_ > best_.operations;
  }

  const InteractionGraph& graph_;
  const Effort& effort_;
  std::uint64_t stream_;
  const Deadline& deadline_;
  std::optional<BitGame> bits_;
  Order best_;
  double spent_ = 0;
};

void append(Order& all, const Order& part, const std::vector<Id>& members) {
  for (Id v : part.sequence) all.sequence.push_back(members[v]);
  all.width = std::max(all.width, part.width);
  all.log2_largest = std::max(all.log2_largest, part.log2_largest);
  all.operations += part.operations;
  all.message_entries += part.message_entries;
  all.work += part.work;
  all.complete &= part.complete;
}

}  // namespace

Order best_order(const InteractionGraph& graph, const Effort& effort) {
  Reduced reduced = reduce(graph, effort.deadline);
  Order all = std::move(reduced.first);
  std::vector<Component>& components = reduced.components;
  // The largest last: what the others leave of the time is its own.
  std::ranges::stable_sort(components, {}, [](const Component& c) { return c.members.size(); });
  const Stopwatch watch;
  for (std::size_t i = 0; i < components.size(); ++i) {
    double seconds = effort.deadline.remaining();
    if (effort.seconds > 0) {
      const double share = (effort.seconds - watch.seconds()) / double(components.size() - i);
      seconds = std::clamp(share, 1e-9, seconds);
    }
    const Deadline own(seconds, {}, effort.stop);
    Search search(components[i].graph, effort, i << 32, own);
    append(all, search.run(), components[i].members);
    if (!all.complete || effort.deadline.expired()) {
      all.complete &= i + 1 == components.size();
      break;
    }
  }
  return all;
}

}  // namespace fgnn::exact
