#include "fgnn/infer/costs/sweeps.h"

#include <algorithm>
#include <utility>

#include "fgnn/core/budget.h"

namespace fgnn::costs {

Sweeps::Sweeps(Store& store, std::vector<std::uint32_t> rank)
    : store_(store), rank_(std::move(rank)), order_(rank_.size()), share_(rank_.size()) {
  for (Id v = 0; v < rank_.size(); ++v) order_[rank_[v]] = v;
  for (Id v = 0; v < rank_.size(); ++v) {
    std::size_t later = 0, earlier = 0;
    for (const Place& place : store_.places(v)) {
      bool any_later = false, any_earlier = false;
      for (const Axis& axis : store_.axes(place.function)) {
        any_later |= rank_[axis.variable] > rank_[v];
        any_earlier |= rank_[axis.variable] < rank_[v];
      }
      later += any_later;
      earlier += any_earlier;
    }
    share_[v] = 1.0 / static_cast<double>(std::max<std::size_t>({1, later, earlier}));
  }
}

bool Sweeps::visit(Id v, bool forwards) {
  for (const Place& place : store_.places(v)) {
    store_.least(place.function, place.axis, Store::kNone, amount_);
    store_.project(place.function, place.axis, amount_);
    for (std::size_t k = amount_.size(); k-- > 0;) {
      if (amount_[k] == kInfinity) store_.remove(v, store_.left(v)[k]);
    }
    if (store_.left(v).empty()) return false;
  }
  store_.lift(v);
  double taken = 0;
  for (const Place& place : store_.places(v)) {
    const auto axes = store_.axes(place.function);
    const bool goes_on = std::ranges::any_of(axes, [&](const Axis& axis) {
      return forwards ? rank_[axis.variable] > rank_[v] : rank_[axis.variable] < rank_[v];
    });
    if (!goes_on) continue;
    store_.extend(place.function, place.axis, share_[v] / (1 - taken));
    taken += share_[v];
    if (taken > 1 - kTiny) break;
  }
  return true;
}

bool Sweeps::pass(const Deadline& deadline) {
  TimeCheck time(deadline);
  for (const bool forwards : {true, false}) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Id v = order_[forwards ? i : order_.size() - 1 - i];
      if (store_.left(v).empty()) continue;  // eliminated
      if (time.late(64 * (1 + store_.places(v).size()))) return false;
      if (!visit(v, forwards)) {
        contradiction_ = true;
        return false;
      }
      store_.forget();
    }
  }
  return true;
}

std::vector<std::uint32_t> Sweeps::rounded() {
  std::vector<std::uint32_t> states(rank_.size(), 0);
  const Store::Mark mark = store_.mark();
  std::vector<double> cost;
  for (Id v : order_) {
    const auto left = store_.left(v);
    if (left.empty()) continue;
    cost.clear();
    for (std::uint32_t x : left) cost.push_back(store_.unary(v, x));
    for (const Place& place : store_.places(v)) {
      store_.least(place.function, place.axis, Store::kNone, amount_);
      for (std::size_t k = 0; k < cost.size(); ++k) cost[k] += amount_[k];
    }
    const auto best = std::ranges::min_element(cost) - cost.begin();
    states[v] = left[static_cast<std::size_t>(best)];
    store_.assign(v, states[v]);
  }
  store_.undo(mark);
  return states;
}

}  // namespace fgnn::costs
