#include "fgnn/infer/frontier.h"

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
    bool implies(const Budget& other) const {
      return (other.seen & ~seen) == 0 && most <= other.most;
    }
  };
  std::array<double, 2> unary{};
  std::vector<Pair> pairs;
  std::vector<Budget> budgets;

  bool allows_one(Bits window) const {
    bool allowed = true;
    for (const Budget& b : budgets) allowed &= std::popcount(window & b.seen) <= b.most;
    return allowed;
  }
  // What the new values 0 and 1 add to the score.
  std::array<double, 2> gains(Bits window) const {
    std::array<double, 2> sum = unary;
    for (const Pair& p : pairs) {
      const double* values = &p.values[2 * (window >> p.back & 1)];
      sum[0] += values[0];
      sum[1] += values[1];
    }
    return sum;
  }
};

// Windows overlap, and most budgets follow from one that has seen more and allows no more.
void keep_needed(std::vector<Step::Budget>& budgets) {
  std::vector<Step::Budget> needed;
  for (const auto& b : budgets) {
    const auto implied = [&](const auto& other) { return other.implies(b); };
    if (std::ranges::any_of(needed, implied)) continue;
    std::erase_if(needed, [&](const auto& other) { return b.implies(other); });
    needed.push_back(b);
  }
  budgets = std::move(needed);
}

std::vector<Step> steps_of(const BudgetProblem& instance) {
  std::vector<Step> steps(instance.unary.size());
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].unary = instance.unary[i];
  for (const auto& pair : instance.pairs) {
    auto values = pair.values;
    if (pair.first > pair.second) std::swap(values[1], values[2]);
    const auto [earlier, later] = std::minmax(pair.first, pair.second);
    steps[later].pairs.push_back({later - earlier, values});
  }
  for (const auto& budget : instance.budgets) {
    auto scope = budget.scope;
    std::ranges::sort(scope);
    // Before so many are seen nothing can be broken.
    for (std::size_t j = budget.most; j < scope.size(); ++j) {
      Bits seen = 0;
      for (std::size_t i = 0; i <= j; ++i) seen |= Bits{1} << (scope[j] - scope[i]);
      steps[scope[j]].budgets.push_back({seen, static_cast<int>(budget.most)});
    }
  }
  for (Step& step : steps) keep_needed(step.budgets);
  return steps;
}

// Sorted states with their best scores.
struct Frontier {
  std::vector<Bits> states;
  std::vector<double> scores;
  void resize(std::size_t size) {
    states.resize(size);
    scores.resize(size);
  }
  std::size_t size() const { return states.size(); }
};

// The states of `from` in places begin … end, which all forget the same value, with both new ones.
inline void append_any(const Frontier& from, std::size_t begin, std::size_t end, const Step& step,
                       Bits mask, Frontier& to) {
  to.resize(2 * (end - begin));
  std::size_t n = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Bits window = from.states[i] << 1;
    const auto gains = step.gains(window);
    to.states[n] = window & mask;
    to.scores[n] = from.scores[i] + gains[0];
    // Written in any case, counted only when allowed.
    to.states[n + 1] = (window | 1) & mask;
    to.scores[n + 1] = from.scores[i] + gains[1];
    n += step.allows_one(window | 1) ? 2 : 1;
  }
  to.resize(n);
}

using Append = void (*)(const Frontier&, std::size_t, std::size_t, const Step&, Bits, Frontier&);

void append_plain(const Frontier& from, std::size_t begin, std::size_t end, const Step& step,
                  Bits mask, Frontier& to) {
  append_any(from, begin, end, step, mask, to);
}

#if defined(__x86_64__)
// The oldest of these processors cannot count bits, so compilers do not do it unasked; it halves
// the time.
[[gnu::target("popcnt"), gnu::flatten]] void append_counting(const Frontier& from,
                                                             std::size_t begin, std::size_t end,
                                                             const Step& step, Bits mask,
                                                             Frontier& to) {
  append_any(from, begin, end, step, mask, to);
}
const Append append = __builtin_cpu_supports("popcnt") ? append_counting : append_plain;
#else
const Append append = append_plain;
#endif

// For every state of the merge: the state, and in the top bit the value that was forgotten.
using Trace = std::vector<Bits>;
constexpr Bits kForgotOne = Bits{1} << 31;

void merge(const Frontier& zero, const Frontier& one, Frontier& to, Trace& trace) {
  to.resize(zero.size() + one.size());
  trace.resize(to.size());
  std::size_t n = 0, i = 0, j = 0;
  while (i < zero.size() && j < one.size()) {
    const Bits a = zero.states[i], b = one.states[j];
    const double best_a = zero.scores[i], best_b = one.scores[j];
    // Choices instead of branches, which here nobody can predict.
    const bool from_zero = (a < b) | ((a == b) & (best_a >= best_b));
    to.states[n] = std::min(a, b);
    to.scores[n] = from_zero ? best_a : best_b;
    trace[n++] = std::min(a, b) | (from_zero ? 0 : kForgotOne);
    i += a <= b;
    j += b <= a;
  }
  const auto take = [&](const Frontier& from, std::size_t at, Bits forgotten) {
    to.states[n] = from.states[at];
    to.scores[n] = from.scores[at];
    trace[n++] = from.states[at] | forgotten;
  };
  for (; i < zero.size(); ++i) take(zero, i, 0);
  for (; j < one.size(); ++j) take(one, j, kForgotOne);
  to.resize(n);
  trace.resize(n);
  trace.shrink_to_fit();
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

// The lists of all variables, one after another.
struct Sweep {
  std::size_t bits;
  Bits mask, oldest;
  std::vector<Step> steps;

  explicit Sweep(const BudgetProblem& instance) : bits(reach(instance)) {
    if (bits > kFarthestReach) {
      throw Error(ErrorCode::too_wide, "instance",
                  fmt::format("has factors that reach {} variables back, more than {}", bits,
                              kFarthestReach));
    }
    mask = (Bits{1} << bits) - 1;
    oldest = Bits{1} << (bits - 1);
    steps = steps_of(instance);
  }

  // The place of the first state that forgets a 1.
  std::size_t split(const Frontier& list) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(list.states, oldest) -
                                    list.states.begin());
  }

  // Calls visit(list, trace) after every variable and returns the last list.
  template <class Visit>
  Frontier run(std::size_t limit, Visit visit) const {
    Frontier now, zero, one;
    now.resize(1);  // nothing yet, score 0
    std::size_t kept = 0;
    for (const Step& step : steps) {
      const std::size_t middle = split(now);
      append(now, 0, middle, step, mask, zero);
      append(now, middle, now.size(), step, mask, one);
      Trace trace;
      merge(zero, one, now, trace);
      kept += now.size();
      visit(now, std::move(trace));
      if (kept > limit) throw Error(ErrorCode::too_large, "instance", "has too many joint states");
    }
    return now;
  }

  // What the variables from `step` on can still add to each state of the list before it, given that
  // (`after`) for the list after it.
  std::vector<double> completions(const Frontier& before, const Step& step, const Frontier& list,
                                  const std::vector<double>& after) const {
    std::vector<double> best(before.size());
    const std::size_t middle = split(before);
    std::size_t at = 0;  // appended states come in order, in each half
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (k == middle) at = 0;
      const Bits window = before.states[k] << 1;
      const auto gains = step.gains(window);
      while (list.states[at] < (window & mask)) ++at;
      best[k] = gains[0] + after[at];
      // With a 1 instead it is the next state, if it may be there at all.
      if (step.allows_one(window | 1)) best[k] = std::max(best[k], gains[1] + after[at + 1]);
    }
    return best;
  }
};

}  // namespace

std::size_t reach(const BudgetProblem& instance) {
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

FrontierMap frontier_map(const BudgetProblem& instance, std::size_t limit) {
  const Sweep sweep(instance);
  std::vector<Trace> traces;
  FrontierMap result;
  const Frontier last = sweep.run(limit, [&](const Frontier& now, Trace trace) {
    traces.push_back(std::move(trace));
    result.most_states = std::max(result.most_states, now.size());
  });
  const auto best = std::ranges::max_element(last.scores) - last.scores.begin();
  result.score = last.scores[best];
  result.assignment = trace_back(traces, last.states[best], sweep.bits);
  return result;
}

std::vector<std::array<double, 2>> frontier_max_marginals(const BudgetProblem& instance,
                                                          std::size_t limit) {
  const Sweep sweep(instance);
  std::vector<Frontier> lists;
  sweep.run(limit, [&](const Frontier& now, const Trace&) { lists.push_back(now); });
  std::vector<std::array<double, 2>> best(lists.size(), {kForbidden, kForbidden});
  std::vector<double> completion(lists.empty() ? 0 : lists.back().size(), 0.0);
  for (std::size_t i = lists.size(); i-- > 0;) {
    const Frontier& list = lists[i];
    for (std::size_t k = 0; k < list.size(); ++k) {
      double& value = best[i][list.states[k] & 1];
      value = std::max(value, list.scores[k] + completion[k]);
    }
    if (i > 0) completion = sweep.completions(lists[i - 1], sweep.steps[i], list, completion);
  }
  return best;
}

}  // namespace fgnn
