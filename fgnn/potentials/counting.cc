#include "fgnn/potentials/counting.h"

#include <algorithm>
#include <vector>

namespace fgnn {
namespace {

class CountingOracle final : public Oracle {
 public:
  CountingOracle(const Counting& counting, Left left) : Oracle(Layout(left)) {
    std::size_t base = 0;  // chosen among the decided
    for (std::size_t j = 0; j < left.size(); ++j) {
      if (left[j]->size() == 1) {
        base += counting.is_chosen(j, left[j]->front());
        continue;
      }
      auto& chosen = chosen_.emplace_back();
      for (const State x : *left[j]) chosen.push_back(counting.is_chosen(j, x));
    }
    items_.resize(layout_.arity());
    for (std::size_t k = 0; k <= layout_.arity(); ++k) values_.push_back(counting.value(base + k));
  }

  std::uint64_t steps() const override { return 8 * layout_.coordinates(); }

 private:
  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck&) override {
    double sum = 0;
    std::size_t least = 0, most = 0;  // chosen whatever happens, chosen at most
    for (std::size_t j = 0; j < items_.size(); ++j) {
      Item& item = items_[j] = {j};
      for (State s = 0; s < layout_.sizes[j]; ++s) {
        item.offer(chosen_[j][s], layout_.score(scores, j, s), s);
      }
      if (item.value[0] == kForbidden) {
        item.gain = kInfinity;
        sum += item.value[1];
        ++least, ++most;
      } else {
        item.gain = item.value[1] - item.value[0];  // minus infinity where none can be chosen
        sum += item.value[0];
        most += item.value[1] != kForbidden;
      }
    }
    std::ranges::sort(items_, [](const Item& a, const Item& b) {
      return a.gain != b.gain ? a.gain > b.gain : a.position < b.position;
    });
    double high = kForbidden;
    std::size_t found = 0;
    for (std::size_t k = least;; ++k) {
      const double value = sum + values_[k];
      if (value > high) high = value, found = k;
      if (k == most) break;
      sum += items_[k].gain;
    }
    if (high == kForbidden) return high;
    own = values_[found];
    for (std::size_t i = 0; i < items_.size(); ++i) {
      x[items_[i].position] = items_[i].state[i < found];
    }
    return high;
  }

  struct Item {
    std::size_t position = 0;
    double value[2] = {kForbidden, kForbidden};  // best score when not chosen, when chosen
    State state[2] = {0, 0};
    double gain = 0;
    void offer(bool chosen, double score, State s) {
      if (score > value[chosen]) value[chosen] = score, state[chosen] = s;
    }
  };

  std::vector<double> values_;  // by how many of the undecided are chosen
  std::vector<std::vector<char>> chosen_;
  std::vector<Item> items_;
};

}  // namespace

std::unique_ptr<Oracle> counting_oracle(const Counting& counting, Left left) {
  return std::make_unique<CountingOracle>(counting, left);
}

void narrow_counting(const Counting& counting, ScopeStates& scope) {
  std::size_t least = 0, most = 0;  // that the states left allow
  for (std::size_t j = 0; j < scope.arity(); ++j) {
    const auto chosen = [&](State x) { return counting.is_chosen(j, x); };
    least += std::ranges::all_of(scope.left(j), chosen);
    most += std::ranges::any_of(scope.left(j), chosen);
  }
  std::size_t low = least, high = most;  // that the potential allows, too
  while (low <= most && counting.value(low) == kForbidden) ++low;
  if (low > most) return scope.contradict();
  while (counting.value(high) == kForbidden) --high;
  if (least == most || (low < most && high > least)) return;
  const bool wanted = low == most;  // every variable that can must be chosen, or none
  for (std::size_t j = 0; j < scope.arity(); ++j) {
    const auto fits = [&](State x) { return counting.is_chosen(j, x) == wanted; };
    if (std::ranges::any_of(scope.left(j), fits)) scope.keep(j, fits);
  }
}

}  // namespace fgnn
