#include "fgnn/infer/costs/tabu.h"

#include <algorithm>

#include "fgnn/core/budget.h"

namespace fgnn::costs {

Tabu::Tabu(const Network& network) : network_(network), uses_(network.size()) {
  std::uint32_t next = 0;
  double largest = 0;
  const auto meet = [&](const std::vector<double>& costs) {
    for (double cost : costs) {
      if (cost < kInfinity) largest = std::max(largest, cost);
    }
  };
  for (Id v = 0; v < network.size(); ++v) {
    first_.push_back(next);
    next += static_cast<std::uint32_t>(network.unary(v).size());
    if (!network.unary(v).empty()) variables_.push_back(v);
    meet(network.unary(v));
  }
  first_.push_back(next);
  first_axis_.push_back(0);
  for (std::uint32_t f = 0; f < network.functions().size(); ++f) {
    const Function& function = network.functions()[f];
    axes_.resize(axes_.size() + function.scope.size());
    std::uint32_t stride = 1;
    for (auto j = static_cast<std::uint32_t>(function.scope.size()); j-- > 0;) {
      const Id v = function.scope[j];
      axes_[first_axis_[f] + j] = {v, stride};
      uses_[v].push_back({f, j});
      stride *= static_cast<std::uint32_t>(network.unary(v).size());
    }
    first_axis_.push_back(static_cast<std::uint32_t>(axes_.size()));
    meet(function.values);
  }
  penalty_ = 1 + largest;
}

// Adds what function f costs each state of each of its variables, the others as they are.
void Tabu::account(std::uint32_t f, double sign) {
  const double* values = network_.functions()[f].values.data();
  const std::span<const Axis> axes(&axes_[first_axis_[f]], first_axis_[f + 1] - first_axis_[f]);
  std::size_t at = 0;
  for (const Axis& axis : axes) at += std::size_t{states_[axis.variable]} * axis.stride;
  for (const Axis& axis : axes) {
    const double* row = values + at - std::size_t{states_[axis.variable]} * axis.stride;
    double* costs = &cost_of_[first_[axis.variable]];
    const std::size_t count = first_[axis.variable + 1] - first_[axis.variable];
    for (std::size_t x = 0; x < count; ++x) costs[x] += sign * priced(row[x * axis.stride]);
  }
}

void Tabu::start(std::span<const std::uint32_t> states) {
  states_.assign(states.begin(), states.end());
  cost_of_.assign(first_.back(), 0.0);
  for (Id v : variables_) {
    for (std::uint32_t x = 0; x < network_.unary(v).size(); ++x) {
      cost_of_[first_[v] + x] = priced(network_.unary(v)[x]);
    }
  }
  for (std::uint32_t f = 0; f + 1 < first_axis_.size(); ++f) account(f, 1);
}

void Tabu::move(Id v, std::uint32_t x) {
  const double mine = cost_of_[first_[v] + x];
  for (const Use& use : uses_[v]) account(use.function, -1);
  states_[v] = x;
  for (const Use& use : uses_[v]) account(use.function, 1);
  cost_of_[first_[v] + x] = mine;  // the same but for rounding
}

std::size_t Tabu::forbidden() const {
  std::size_t count = 0;
  for (Id v : variables_) count += network_.unary(v)[states_[v]] == kInfinity;
  for (std::uint32_t f = 0; f + 1 < first_axis_.size(); ++f) {
    std::size_t at = 0;
    for (std::uint32_t j = first_axis_[f]; j < first_axis_[f + 1]; ++j) {
      at += std::size_t{states_[axes_[j].variable]} * axes_[j].stride;
    }
    count += network_.functions()[f].values[at] == kInfinity;
  }
  return count;
}

double Tabu::cost() const {
  double sum = 0;
  for (Id v : variables_) sum += priced(network_.unary(v)[states_[v]]);
  for (std::uint32_t f = 0; f + 1 < first_axis_.size(); ++f) {
    std::size_t at = 0;
    for (std::uint32_t j = first_axis_[f]; j < first_axis_[f + 1]; ++j) {
      at += std::size_t{states_[axes_[j].variable]} * axes_[j].stride;
    }
    sum += priced(network_.functions()[f].values[at]);
  }
  return sum;
}

bool Tabu::run(std::vector<std::uint32_t>& states, std::uint64_t steps, Rng& rng,
               const Deadline& deadline) {
  constexpr std::uint64_t kRefresh = 1 << 16;  // steps between sums made anew, against rounding
  constexpr double kBetter = 1e-9;
  if (variables_.empty()) return false;
  start(states);
  double now = cost(), best = forbidden() == 0 ? now : kInfinity;
  bool improved = false;
  std::vector<std::uint64_t> free_at(network_.size(), 0);
  const std::uint64_t spread = 2 + variables_.size() / 8;
  TimeCheck time(deadline);
  for (std::uint64_t step = 1; step <= steps; ++step) {
    if (time.late(variables_.size())) break;
    if (step % kRefresh == 0) {
      start(std::vector<std::uint32_t>(states_));
      now = cost();
    }
    double least = kInfinity;
    Id chosen = 0;
    std::uint32_t state = 0, ties = 0;
    for (Id v : variables_) {
      const double* costs = &cost_of_[first_[v]];
      const double present = costs[states_[v]];
      const bool tabu = free_at[v] > step;
      const auto count = first_[v + 1] - first_[v];
      for (std::uint32_t x = 0; x < count; ++x) {
        const double change = costs[x] - present;
        if (change > least || x == states_[v]) continue;
        if (tabu && now + change >= best - kBetter) continue;
        ties = change < least ? 1 : ties + 1;
        if (ties > 1 && rng.below(ties) != 0) continue;
        least = change;
        chosen = v;
        state = x;
      }
    }
    if (least == kInfinity) continue;  // all tabu: waits
    move(chosen, state);
    now += least;
    free_at[chosen] = step + 2 + rng.below(spread);
    if (now < best - kBetter && forbidden() == 0) {
      best = now;
      states = states_;
      improved = true;
    }
  }
  return improved;
}

}  // namespace fgnn::costs
