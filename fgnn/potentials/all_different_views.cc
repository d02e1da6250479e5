// What solvers get from an all-different.
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <vector>

#include "fgnn/graph/oracle.h"
#include "fgnn/potentials/all_different.h"
#include "fgnn/potentials/hungarian.h"
#include "fgnn/potentials/semiring.h"

namespace fgnn {
namespace {

constexpr State kTaken = ~State{0};

// Forward over sets of used states, backward over sets still to be used. Cost: arity x states x
// 2^states.
class SetMessages final : public MessageKernel {
 public:
  explicit SetMessages(Shape shape)
      : shape_(shape.begin(), shape.end()),
        sets_(std::size_t{1} << *std::ranges::max_element(shape)) {}

  void run(Semiring semiring, const double* in, double* out, double* scratch) const override {
    with_semiring(semiring, [&](auto algebra) { run(algebra, in, out, scratch); });
  }
  std::size_t scratch() const override { return 2 * (shape_.size() + 1) * sets_; }
  std::uint64_t steps() const override { return width() * sets_; }

 private:
  std::size_t width() const {
    return std::accumulate(shape_.begin(), shape_.end(), std::size_t{0});
  }

  // Calls visit(state, set, set with it) for all sets of j states.
  template <class Visit>
  void each(std::size_t j, Visit visit) const {
    for (std::size_t set = 0; set < sets_; ++set) {
      if (static_cast<std::size_t>(std::popcount(set)) != j) continue;
      for (State x = 0; x < shape_[j]; ++x) {
        if (!(set >> x & 1)) visit(x, set, set | std::size_t{1} << x);
      }
    }
  }

  template <class A>
  void run(A, const double* in, double* out, double* scratch) const {
    const std::size_t n = shape_.size();
    double* forward = scratch;
    double* backward = scratch + (n + 1) * sets_;
    std::fill_n(scratch, 2 * n * sets_ + sets_, A::zero);
    std::fill_n(backward + n * sets_, sets_, A::one);
    forward[0] = A::one;
    const auto add = [](double& sum, double a, double b) { sum = A::plus(sum, A::times(a, b)); };
    std::size_t slot = 0;
    for (std::size_t j = 0; j < n; slot += shape_[j++]) {
      const double* from = forward + j * sets_;
      each(j, [&](State x, std::size_t set, std::size_t next) {
        add(forward[(j + 1) * sets_ + next], from[set], in[slot + x]);
      });
    }
    std::fill_n(out, slot, A::zero);
    for (std::size_t j = n; j-- > 0;) {
      slot -= shape_[j];
      const double* after = backward + (j + 1) * sets_;
      each(j, [&](State x, std::size_t set, std::size_t next) {
        add(backward[j * sets_ + set], after[next], in[slot + x]);
        add(out[slot + x], forward[j * sets_ + set], after[next]);
      });
    }
  }

  std::vector<State> shape_;
  std::size_t sets_;
};

// Maxima are assignment problems, and all of them follow from one. Cost: arity^2 x states.
class AssignmentMessages final : public MessageKernel {
 public:
  explicit AssignmentMessages(Shape shape)
      : shape_(shape.begin(), shape.end()),
        columns_(std::max<std::size_t>(*std::ranges::max_element(shape), shape.size())) {}

  void run(Semiring, const double* in, double* out, double* scratch) const override {
    const std::size_t n = shape_.size();
    const auto count = static_cast<double>(n);
    const std::vector<double> top = largest(in);
    double all = 0, range = 0;
    each_slot([&](std::size_t j, std::size_t, std::size_t slot) {
      if (in[slot] != kForbidden) range = std::max(range, top[j] - in[slot]);
    });
    for (const double value : top) all += value;
    // Weights go from 0 down to -range. What stands for a forbidden one is lower than any sum of
    // the others, and still leaves the sums their digits.
    range = std::min(range, 1e300 / (count + 1));
    const double forbidden = -(count + 1) * (range + 1), lowest = -count * (range + 0.5);
    AssignmentProblem problem(n, columns_);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t x = 0; x < columns_; ++x) problem.set(j, x, forbidden);
    }
    each_slot([&](std::size_t j, std::size_t x, std::size_t slot) {
      if (in[slot] != kForbidden) problem.set(j, x, std::max(in[slot] - top[j], -range));
    });
    const Deadline none;
    TimeCheck time(none);
    problem.solve(time);  // there is an assignment: all weights are finite
    double* others = scratch + n * (n + 1);
    problem.best_of_others(others, scratch);
    each_slot([&](std::size_t j, std::size_t x, std::size_t slot) {
      const double value = others[j * columns_ + x];
      out[slot] = value < lowest ? kForbidden : value + all - top[j];
    });
  }
  std::size_t scratch() const override { return shape_.size() * (shape_.size() + 1 + columns_); }
  std::uint64_t steps() const override {
    return std::uint64_t{shape_.size()} * shape_.size() * columns_;
  }

 private:
  // Calls visit(variable, state, slot).
  template <class Visit>
  void each_slot(Visit visit) const {
    std::size_t slot = 0;
    for (std::size_t j = 0; j < shape_.size(); ++j) {
      for (std::size_t x = 0; x < shape_[j]; ++x) visit(j, x, slot++);
    }
  }
  // Of each variable; 0 where all is forbidden.
  std::vector<double> largest(const double* in) const {
    std::vector<double> top(shape_.size(), kForbidden);
    each_slot(
        [&](std::size_t j, std::size_t, std::size_t slot) { top[j] = std::max(top[j], in[slot]); });
    for (double& value : top) value = value == kForbidden ? 0 : value;
    return top;
  }

  std::vector<State> shape_;
  std::size_t columns_;
};

// The state is the set of values used so far, as bits; sets of one size are numbered. Adding the
// bit of a value that is in the set carries, which never gives a set of one more value: so t = s +
// 2^x says that x is new and t the set with it.
class DifferentMachine final : public Machine {
 public:
  explicit DifferentMachine(Shape shape)
      : n_(shape.size()), d_(*std::ranges::max_element(shape)), full_(std::size_t{1} << d_) {
    sets_.resize(d_ + std::size_t{1});
    for (std::uint32_t set = 0; set < full_; ++set) {
      sets_[static_cast<std::size_t>(std::popcount(set))].push_back(set);
    }
  }

  std::uint32_t states(std::size_t i) const override {
    return i + 1 <= d_ ? static_cast<std::uint32_t>(sets_[i + 1].size()) : 1;
  }
  std::size_t before(std::size_t i, std::uint32_t s) const override {
    if (i >= d_) return 5 * full_;  // beyond d values nothing is allowed
    return i + 1 == n_ ? 3 * full_ + sets_[i][s] : full_ - sets_[i][s];
  }
  std::size_t reads(std::size_t i, State x) const override {
    if (i >= d_) return 0;
    return i + 1 == n_ ? std::size_t{1} << x : full_ - (std::size_t{1} << x);
  }
  bool uniform() const override { return false; }
  std::size_t after(std::size_t i, std::uint32_t t) const override {
    return i >= d_ ? 0 : sets_[i + 1][t];
  }

  std::size_t entries() const override { return 5 * full_ + 1; }
  std::vector<double> numbers() const override {
    std::vector<double> numbers(entries(), kForbidden);
    numbers[2 * full_] = 0;
    for (std::size_t set = 0; set < full_; ++set) {
      if (static_cast<std::size_t>(std::popcount(set)) == n_) numbers[3 * full_ + set] = 0;
    }
    return numbers;
  }

 private:
  std::size_t n_;
  State d_;
  std::size_t full_;
  std::vector<std::vector<std::uint32_t>> sets_;  // by number of values
};

// Distinct states for all variables are a matching that covers them (Kuhn's augmenting paths).
class Matching {
 public:
  // Per variable: its states, kTaken where it may not have one.
  Matching(const std::vector<std::vector<State>>& states, std::size_t most, TimeCheck& time)
      : states_(states), time_(time), owner_(most, kNobody) {}

  // True, too, when time is over.
  bool covers_all() {
    if (states_.size() > owner_.size()) return false;
    for (std::size_t j = 0; j < states_.size(); ++j) {
      tried_.assign(owner_.size(), false);
      if (!place(j)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  bool place(std::size_t j) {
    if (time_.late(states_[j].size())) return true;
    // A state that is free, before anybody is asked to move.
    for (const State x : states_[j]) {
      if (x == kTaken || owner_[x] != kNobody) continue;
      owner_[x] = j;
      return true;
    }
    for (const State x : states_[j]) {
      if (x == kTaken || tried_[x]) continue;
      tried_[x] = true;
      if (place(owner_[x])) {
        owner_[x] = j;
        return true;
      }
    }
    return false;
  }

  const std::vector<std::vector<State>>& states_;
  TimeCheck& time_;
  std::vector<std::size_t> owner_;
  std::vector<bool> tried_;
};

class AllDifferentOracle final : public Oracle {
 public:
  explicit AllDifferentOracle(Left left) : Oracle(Layout(left)) {
    std::vector<State> taken;
    for (const auto* states_left : left) {
      states_ = std::max(states_, states_left->back() + 1);
      if (states_left->size() == 1) taken.push_back(states_left->front());
    }
    std::ranges::sort(taken);
    clash_ = std::ranges::adjacent_find(taken) != taken.end();
    for (const std::size_t j : open_positions(left)) {
      auto& column = column_.emplace_back();
      for (const State x : *left[j]) {
        column.push_back(std::ranges::binary_search(taken, x) ? kTaken : x);
      }
    }
  }

  std::uint64_t steps() const override { return layout_.coordinates(); }
  bool feasible(TimeCheck& time) override {
    return !clash_ && Matching(column_, states_, time).covers_all();
  }

 private:
  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck& time) override {
    if (clash_) return kForbidden;
    if (!assignment_) assignment_.emplace(layout_.arity(), states_);
    assignment_->forbid_all();
    for (std::size_t j = 0; j < column_.size(); ++j) {
      for (State s = 0; s < column_[j].size(); ++s) {
        if (column_[j][s] != kTaken)
          assignment_->set(j, column_[j][s], layout_.score(scores, j, s));
      }
    }
    const bool found = assignment_->solve(time);
    if (time.late(0)) return kInfinity;
    if (!found) return kForbidden;
    double value = 0;
    for (std::size_t j = 0; j < column_.size(); ++j) {
      const auto at = std::ranges::find(column_[j], assignment_->column_of(j));
      x[j] = static_cast<State>(at - column_[j].begin());
      value += layout_.score(scores, j, x[j]);
    }
    own = 0;
    return value;
  }

  bool clash_ = false;
  State states_ = 0;
  std::vector<std::vector<State>> column_;  // per variable and state left: the state itself
  std::optional<AssignmentProblem> assignment_;
};

bool too_many_states(Shape shape) {
  return *std::ranges::max_element(shape) > AllDifferent::kMostStates;
}

}  // namespace

std::unique_ptr<MessageKernel> AllDifferent::messages(Shape shape, Reduction reduction,
                                                      double) const {
  if (!too_many_states(shape)) return std::make_unique<SetMessages>(shape);
  if (reduction == Reduction::max) return std::make_unique<AssignmentMessages>(shape);
  return nullptr;
}

std::unique_ptr<Machine> AllDifferent::machine(Shape shape, Reduction) const {
  return too_many_states(shape) ? nullptr : std::make_unique<DifferentMachine>(shape);
}

std::unique_ptr<Oracle> AllDifferent::oracle(Left left) const {
  return std::make_unique<AllDifferentOracle>(left);
}

// A state that is taken is gone for the others.
void AllDifferent::narrow(ScopeStates& scope) const {
  for (std::size_t i = 0; i < scope.arity(); ++i) {
    if (scope.left(i).size() > 1) continue;
    const State taken = scope.left(i).front();
    for (std::size_t j = 0; j < scope.arity(); ++j) {
      if (j != i) scope.keep(j, [&](State x) { return x != taken; });
      if (scope.contradicted()) return;
      scope.spend(scope.left(j).size());
    }
  }
}

}  // namespace fgnn
