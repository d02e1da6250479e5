// The best joint state outside a list: joint states are visited from the best downwards until one
// is not listed, which takes at most one visit more than the list is long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "fgnn/graph/oracle.h"

namespace fgnn {

class BestUnlisted {
 public:
  // `listed` tells whether a joint state is to be passed over. False when all are.
  template <class Listed>
  bool find(const Layout& layout, std::span<const double> scores, Listed listed) {
    order_states(layout, scores);
    heap_.assign(1, {top_, 0, std::vector<State>(layout.arity(), 0)});
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, {}, &Entry::value);
      const Entry entry = std::move(heap_.back());
      heap_.pop_back();
      x_.clear();
      for (std::size_t j = 0; j < layout.arity(); ++j) x_.push_back(order_[j][entry.rank[j]]);
      value_ = entry.value;
      if (!listed(x_)) return true;
      push_next(layout, scores, entry);
    }
    return false;
  }
  double value() const { return value_; }
  const std::vector<State>& state() const { return x_; }

 private:
  struct Entry {
    double value;
    std::size_t last;  // only this position and later ones are lowered: no joint state comes twice
    std::vector<State> rank;  // per variable: 0 for its best state, 1 for the next best, …
  };

  void order_states(const Layout& layout, std::span<const double> scores) {
    order_.resize(layout.arity());
    top_ = 0;
    for (std::size_t j = 0; j < layout.arity(); ++j) {
      order_[j].resize(layout.sizes[j]);
      std::iota(order_[j].begin(), order_[j].end(), State{0});
      std::ranges::stable_sort(order_[j], std::greater<>(),
                               [&](State s) { return layout.score(scores, j, s); });
      top_ += layout.score(scores, j, order_[j][0]);
    }
  }

  void push_next(const Layout& layout, std::span<const double> scores, const Entry& entry) {
    for (std::size_t j = entry.last; j < layout.arity(); ++j) {
      if (entry.rank[j] + 1 == layout.sizes[j]) continue;
      Entry next{entry.value, j, entry.rank};
      const State from = order_[j][next.rank[j]++], to = order_[j][next.rank[j]];
      next.value += layout.score(scores, j, to) - layout.score(scores, j, from);
      heap_.push_back(std::move(next));
      std::ranges::push_heap(heap_, {}, &Entry::value);
    }
  }

  std::vector<std::vector<State>> order_;  // per variable: its states, best first
  double top_ = 0, value_ = 0;
  std::vector<Entry> heap_;
  std::vector<State> x_;
};

}  // namespace fgnn
