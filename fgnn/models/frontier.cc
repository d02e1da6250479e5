#include "fgnn/models/frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "fgnn/core/error.h"

namespace fgnn {
namespace {

using Bits = std::uint32_t;

// What appending a value at one variable adds and forbids. Bit d of a window is the value d
// variables back; bit 0 is the new one.
struct Step {
  struct Pair {
    unsigned back;  // 1: the variable before
    std::array<double, 4> values;
  };
  struct Budget {
    Bits seen;  // its variables so far, the new one among them
    int most;
  };
  std::array<double, 2> unary;
  std::vector<Pair> pairs;
  std::vector<Budget> budgets;

  bool allows_one(Bits window) const {
    return std::ranges::all_of(
        budgets, [&](const Budget& b) { return std::popcount(window & b.seen) <= b.most; });
  }
  double gain(Bits window) const {
    double sum = unary[window & 1];
    for (const Pair& p : pairs) sum += p.values[2 * (window >> p.back & 1) + (window & 1)];
    return sum;
  }
};

std::vector<Step> steps_of(const SyntheticInstance& instance) {
  std::vector<Step> steps(instance.unary.size());
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].unary = instance.unary[i];
  for (const auto& pair : instance.pairs) {
    auto values = pair.values;
    if (pair.first > pair.second) std::swap(values[1], values[2]);
    const auto [earlier, later] = std::minmax(pair.first, pair.second);
    steps[later].pairs.push_back({later - earlier, values});
  }
  for (const auto& budget : instance.budgets) {
    // A scope in which fewer are left than are allowed cannot be broken yet.
    auto scope = budget.scope;
    std::ranges::sort(scope);
    for (std::size_t j = budget.most; j < scope.size(); ++j) {
      Bits seen = 0;
      for (std::size_t i = 0; i <= j; ++i) seen |= Bits{1} << (scope[j] - scope[i]);
      steps[scope[j]].budgets.push_back({seen, static_cast<int>(budget.most)});
    }
  }
  return steps;
}

// Sorted states with their best scores.
struct Frontier {
  std::vector<Bits> states;
  std::vector<double> scores;
  void clear() {
    states.clear();
    scores.clear();
  }
  void add(Bits state, double score) {
    states.push_back(state);
    scores.push_back(score);
  }
};

// The states of `from` in places begin … end, which all forget the same value, with both new ones.
void append(const Frontier& from, std::size_t begin, std::size_t end, const Step& step, Bits mask,
            Frontier& to) {
  to.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const Bits window = from.states[i] << 1;
    to.add(window & mask, from.scores[i] + step.gain(window));
    if (!step.allows_one(window | 1)) continue;
    to.add((window | 1) & mask, from.scores[i] + step.gain(window | 1));
  }
}

// For every state of the merge: the state, and in the top bit the value that was forgotten.
using Trace = std::vector<Bits>;
constexpr Bits kForgotOne = Bits{1} << 31;

void merge(const Frontier& zero, const Frontier& one, Frontier& to, Trace& trace) {
  to.clear();
  trace.reserve(zero.states.size() + one.states.size());
  const auto take = [&](const Frontier& from, std::size_t i, Bits forgotten) {
    to.add(from.states[i], from.scores[i]);
    trace.push_back(from.states[i] | forgotten);
  };
  std::size_t i = 0, j = 0;
  while (i < zero.states.size() && j < one.states.size()) {
    const Bits a = zero.states[i], b = one.states[j];
    if (a == b && one.scores[j] > zero.scores[i]) {
      take(one, j, kForgotOne);
    } else if (a <= b) {
      take(zero, i, 0);
    } else {
      take(one, j, kForgotOne);
    }
    i += a <= b;
    j += b <= a;
  }
  for (; i < zero.states.size(); ++i) take(zero, i, 0);
  for (; j < one.states.size(); ++j) take(one, j, kForgotOne);
}

std::vector<State> trace_back(const std::vector<Trace>& traces, Bits state, std::size_t bits) {
  std::vector<State> assignment(traces.size());
  for (std::size_t i = traces.size(); i-- > 0;) {
    assignment[i] = state & 1;
    const auto found = std::ranges::lower_bound(traces[i], state, {},
                                                [](Bits entry) { return entry & ~kForgotOne; });
    state >>= 1;
    if (*found & kForgotOne) state |= Bits{1} << (bits - 1);
  }
  return assignment;
}

}  // namespace

std::size_t reach(const SyntheticInstance& instance) {
  std::size_t most = 1;
  for (const auto& p : instance.pairs) {
    most = std::max<std::size_t>(most, std::max(p.first, p.second) - std::min(p.first, p.second));
  }
  for (const auto& b : instance.budgets) {
    const auto [first, last] = std::ranges::minmax(b.scope);
    most = std::max<std::size_t>(most, last - first);
  }
  return most;
}

FrontierMap frontier_map(const SyntheticInstance& instance, std::size_t limit) {
  const std::size_t bits = reach(instance);
  if (bits > kFarthestReach) {
    throw Error(ErrorCode::too_wide, "instance",
                fmt::format("has factors that reach {} variables back, more than {}", bits,
                            kFarthestReach));
  }
  const Bits mask = (Bits{1} << bits) - 1, oldest = Bits{1} << (bits - 1);
  const std::vector<Step> steps = steps_of(instance);
  std::vector<Trace> traces(steps.size());
  Frontier now, zero, one;
  now.add(0, 0);
  FrontierMap result;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto split =
        static_cast<std::size_t>(std::ranges::lower_bound(now.states, oldest) - now.states.begin());
    append(now, 0, split, steps[i], mask, zero);
    append(now, split, now.states.size(), steps[i], mask, one);
    merge(zero, one, now, traces[i]);
    kept += now.states.size();
    result.most_states = std::max(result.most_states, now.states.size());
    if (kept > limit) throw Error(ErrorCode::too_large, "instance", "has too many joint states");
  }
  const auto best = std::ranges::max_element(now.scores) - now.scores.begin();
  result.score = now.scores[best];
  result.assignment = trace_back(traces, now.states[best], bits);
  return result;
}

}  // namespace fgnn
