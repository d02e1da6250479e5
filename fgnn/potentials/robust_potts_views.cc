// What solvers get from labels that should agree.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fgnn/graph/oracle.h"
#include "fgnn/potentials/max_rank_one.h"
#include "fgnn/potentials/robust_potts.h"
#include "fgnn/potentials/semiring.h"
#include "fgnn/potentials/star.h"

namespace fgnn {
namespace {

// One pass over the variables for each label, with a counter of those that differ from it, and one
// for `otherwise`. The counter of label l is left where it has no value any more:
//   for maxima  one count, and each variable that differs costs `stay`;
//   for sums    reach(l) counts with the parts of phi(x) = base + sum_l part_l(different).
// Sums over all states but one come from both sides, never by a subtraction.
class LabelMessages final : public MessageKernel {
 public:
  LabelMessages(const RobustPotts& potts, Shape shape, Reduction reduction, double temperature)
      : shape_(shape.begin(), shape.end()) {
    const bool sums = reduction == Reduction::sum;
    if (const double high = potts.range(shape).high; sums && high != kForbidden) {
      log_scale_ = high / temperature;
    }
    log_base_ = potts.otherwise() / temperature - log_scale_;
    // A part of a sum at a temperature is that of the potential whose scores are divided by it.
    std::vector<RobustPotts::Label> cooled = potts.labels();
    for (auto& label : cooled) label.best /= temperature, label.slope /= temperature;
    const RobustPotts cool(potts.otherwise() / temperature, std::move(cooled));
    const State labels = potts.label_count(shape);
    for (State l = 0; l < labels; ++l) {
      const std::size_t reach = potts.reach(l, shape.size());
      if (reach == 0) continue;
      Term& term = terms_.emplace_back(Term{l, sums ? kForbidden : -cool.label(l).slope, {}, {}});
      for (std::size_t k = 0; k < (sums ? reach : 1); ++k) {
        term.logs.push_back(sums ? cool.part(l, k) - log_scale_ : cool.value(l, k));
        term.linear.push_back(std::exp(term.logs.back()));
      }
      counts_ = std::max(counts_, term.logs.size());
      steps_ += term.logs.size();
    }
  }

  void run(Semiring semiring, const double* in, double* out, double* scratch) const override {
    with_semiring(semiring,
                  [&](auto algebra) { run(algebra, semiring == Semiring::sum, in, out, scratch); });
  }
  std::size_t scratch() const override {
    return 2 * width() + 2 * shape_.size() + (shape_.size() + 2) * counts_;
  }
  std::uint64_t steps() const override { return 4 * (width() + shape_.size() * steps_); }
  double log_scale() const override { return log_scale_; }

 private:
  struct Term {
    State label;
    double stay;                       // logarithm
    std::vector<double> logs, linear;  // values by count
  };

  std::size_t width() const {
    return std::accumulate(shape_.begin(), shape_.end(), std::size_t{0});
  }

  template <class A>
  void run(A algebra, bool linear, const double* in, double* out, double* scratch) const {
    const std::size_t n = shape_.size(), width = this->width();
    double* others = scratch;         // per slot: all states of its variable but this one
    double* differ = others + width;  // per slot: what label x sends to the states that are not x
    double* total = differ + width;   // per variable: all states
    double* rest = total + n;         // per variable: what all its states receive
    double* counter = rest + n;
    add_up_others(algebra, in, others, total);
    std::fill_n(out, width, A::zero);
    std::fill_n(differ, width, A::zero);
    rest[0] = linear ? std::exp(log_base_) : log_base_;
    for (std::size_t j = 1; j < n; ++j) rest[j] = A::times(rest[j - 1], total[j - 1]);
    double after = A::one;
    for (std::size_t j = n; j-- > 0;) {
      rest[j] = A::times(rest[j], after);
      after = A::times(after, total[j]);
    }
    for (const Term& term : terms_) {
      const auto& values = linear ? term.linear : term.logs;
      const double stay = linear ? std::exp(term.stay) : term.stay;
      const Incoming incoming{in, others, total};
      pass(algebra, term.label, values, stay, incoming, Outgoing{out, differ, rest}, counter);
    }
    spread(algebra, differ, rest, out);
  }

  struct Incoming {
    const double *agree, *others, *total;
  };
  struct Outgoing {
    double *agree, *differ, *rest;
  };

  template <class A>
  void add_up_others(A, const double* in, double* others, double* total) const {
    for (std::size_t j = 0; j < shape_.size(); ++j) {
      double before = A::zero, after = A::zero;
      for (State x = 0; x < shape_[j]; ++x) {
        others[x] = before;
        before = A::plus(before, in[x]);
      }
      for (State x = shape_[j]; x-- > 0;) {
        others[x] = A::plus(others[x], after);
        after = A::plus(after, in[x]);
      }
      total[j] = before;
      in += shape_[j];
      others += shape_[j];
    }
  }

  // forward[j](k): k of the variables before j differ. backward(k): value to go behind j, given
  // that k differ up to and with j; beyond the last count there is nothing.
  template <class A>
  void pass(A, State label, const std::vector<double>& values, double stay, const Incoming& in,
            const Outgoing& out, double* scratch) const {
    const std::size_t n = shape_.size(), counts = values.size();
    double* forward = scratch;
    double* backward = forward + n * counts;
    double* next = backward + counts;
    std::fill_n(forward, counts, A::zero);
    forward[0] = A::one;
    std::size_t slot = 0;
    for (std::size_t j = 0; j + 1 < n; slot += shape_[j++]) {
      const auto [agree, differ] = weights<A>(in, label, j, slot);
      const double kept = A::plus(agree, A::times(differ, stay));
      const double* from = forward + j * counts;
      double* to = forward + (j + 1) * counts;
      to[0] = A::times(from[0], kept);
      for (std::size_t k = 1; k < counts; ++k) {
        to[k] = A::plus(A::times(from[k], kept), A::times(from[k - 1], differ));
      }
    }
    std::copy(values.begin(), values.end(), backward);
    for (std::size_t j = n; j-- > 0;) {
      const double* from = forward + j * counts;
      double same = A::zero, one_more = A::zero;
      for (std::size_t k = 0; k < counts; ++k) {
        same = A::plus(same, A::times(from[k], backward[k]));
        if (k + 1 < counts) one_more = A::plus(one_more, A::times(from[k], backward[k + 1]));
      }
      const double differing = A::plus(one_more, A::times(same, stay));
      if (label < shape_[j]) {
        out.agree[slot + label] = same;
        out.differ[slot + label] = differing;
      } else {
        out.rest[j] = A::plus(out.rest[j], differing);
      }
      if (j == 0) break;
      const auto [agree, differ] = weights<A>(in, label, j, slot);
      const double kept = A::plus(agree, A::times(differ, stay));
      for (std::size_t k = 0; k < counts; ++k) {
        next[k] = A::times(backward[k], kept);
        if (k + 1 < counts) next[k] = A::plus(next[k], A::times(backward[k + 1], differ));
      }
      std::swap(backward, next);
      slot -= shape_[j - 1];
    }
  }

  // What flows in from variable j for a label and for all other states.
  template <class A>
  std::pair<double, double> weights(const Incoming& in, State label, std::size_t j,
                                    std::size_t slot) const {
    if (label >= shape_[j]) return {A::zero, in.total[j]};
    return {in.agree[slot + label], in.others[slot + label]};
  }

  // Every state receives what its own label, all other labels and `otherwise` send.
  template <class A>
  void spread(A, const double* differ, const double* rest, double* out) const {
    for (std::size_t j = 0; j < shape_.size(); ++j) {
      double sum = rest[j];
      for (State x = 0; x < shape_[j]; ++x) {
        out[x] = A::plus(out[x], sum);
        sum = A::plus(sum, differ[x]);
      }
      sum = A::zero;
      for (State x = shape_[j]; x-- > 0;) {
        out[x] = A::plus(out[x], sum);
        sum = A::plus(sum, differ[x]);
      }
      out += shape_[j];
      differ += shape_[j];
    }
  }

  std::vector<State> shape_;
  double log_base_ = 0, log_scale_ = 0;
  std::vector<Term> terms_;
  std::size_t counts_ = 0, steps_ = 0;
};

// For sums. The mode is `otherwise` or a label, the state how many variables differ from it; steps
// are dense tables over (mode, x), by the difference of the states.
class LabelMachine final : public Machine {
 public:
  LabelMachine(const RobustPotts& potts, Shape shape)
      : potts_(potts), n_(shape.size()), most_(*std::ranges::max_element(shape)) {
    const State labels = potts.label_count(shape);
    for (State l = 0; l < labels; ++l) {
      const std::size_t reach = potts.reach(l, n_);
      if (reach > 0) labels_.push_back(l);
      counts_ = std::max(counts_, reach);
    }
  }

  std::uint32_t modes() const override { return static_cast<std::uint32_t>(labels_.size() + 1); }
  std::size_t mode(std::size_t i, std::uint32_t z) const override { return z * most_ * row(i); }
  std::uint32_t states(std::size_t i) const override {
    return static_cast<std::uint32_t>(std::min(i + 2, counts_));
  }
  std::size_t before(std::size_t i, std::uint32_t s) const override {
    return i + 1 == n_ ? values() + s : modes() + counts_ - 1 - s;
  }
  std::size_t reads(std::size_t i, State x) const override { return x * row(i); }
  std::size_t after(std::size_t, std::uint32_t t) const override { return t; }

  std::size_t entries() const override { return values() + modes() * most_ * counts_; }
  std::vector<double> numbers() const override {
    std::vector<double> numbers(entries(), kForbidden);
    std::fill_n(numbers.begin(), modes(), 0.0);  // the modes have no weights of their own
    for (std::uint32_t z = 0; z < modes(); ++z) {
      for (State x = 0; x < most_; ++x) {
        const bool different = z > 0 && x != labels_[z - 1];
        const std::size_t cell = z * most_ + x, steps = modes() + cell * (2 * counts_ - 1);
        const std::size_t move = counts_ - 1 + different;  // beyond the last there is no state
        if (move < 2 * counts_ - 1) numbers[steps + move] = 0;
        for (std::size_t s = 0; s < counts_; ++s) {
          double& value = numbers[values() + cell * counts_ + s];
          if (z > 0) value = potts_.part(labels_[z - 1], s + different);
          if (z == 0 && s == 0) value = potts_.otherwise();
        }
      }
    }
    return numbers;
  }

 private:
  std::size_t row(std::size_t i) const { return i + 1 == n_ ? counts_ : 2 * counts_ - 1; }
  std::size_t values() const { return modes() + modes() * most_ * (2 * counts_ - 1); }

  const RobustPotts& potts_;
  std::size_t n_;
  State most_;
  std::vector<State> labels_;  // that score better than otherwise
  std::size_t counts_ = 1;
};

// For each label every variable takes it, or its best other state and pays: linear by the best two
// states of each variable.
class LabelOracle final : public Oracle {
 public:
  LabelOracle(const RobustPotts& potts, Left left) : Oracle(Layout(left)), potts_(potts) {
    State labels = potts.labels().size() > 1 ? static_cast<State>(potts.labels().size()) : 0;
    if (labels == 0) {
      for (const auto* states : left) labels = std::max(labels, states->back() + 1);
    }
    sums_.resize(labels);
    decided_.resize(labels, 0);
    for (const auto* states : left) {
      if (states->size() > 1) {
        open_.push_back(*states);
        continue;
      }
      ++decided_variables_;
      ++decided_[states->front()];
    }
    top_.resize(open_.size());
  }

  std::uint64_t steps() const override { return 4 * layout_.coordinates() + sums_.size(); }

 private:
  struct Top {
    double first = kForbidden, second = kForbidden;
    State first_state = 0, second_state = 0;
    void offer(double score, State s) {
      if (score > first) {
        second = first, second_state = first_state;
        first = score, first_state = s;
      } else if (score > second) {
        second = score, second_state = s;
      }
    }
  };
  // Of one label: the sum over the variables that have it, and what all of them score at their
  // best.
  struct Sum {
    double value = 0, best = 0;
    std::size_t variables = 0, different = 0;
  };

  double other(std::size_t j, State s) const {
    return s == top_[j].first_state ? top_[j].second : top_[j].first;
  }
  bool agrees(std::size_t j, State s, double score, double slope) const {
    return score >= other(j, s) - slope;
  }

  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck&) override {
    double all = 0;
    std::ranges::fill(sums_, Sum{});
    for (std::size_t j = 0; j < open_.size(); ++j) {
      top_[j] = {};
      for (State s = 0; s < open_[j].size(); ++s) top_[j].offer(layout_.score(scores, j, s), s);
      all += top_[j].first;
      for (State s = 0; s < open_[j].size(); ++s) {
        Sum& sum = sums_[open_[j][s]];
        const double score = layout_.score(scores, j, s);
        const bool agree = agrees(j, s, score, potts_.label(open_[j][s]).slope);
        sum.value += agree ? score : other(j, s);
        sum.best += top_[j].first;
        ++sum.variables;
        sum.different += !agree;
      }
    }
    double high = potts_.otherwise() + all;
    own = potts_.otherwise();
    std::size_t found = sums_.size();  // none
    for (State l = 0; l < sums_.size(); ++l) {
      const std::size_t without = open_.size() - sums_[l].variables;
      const std::size_t different = sums_[l].different + without + decided_variables_ - decided_[l];
      const double alone = potts_.value(l, different);
      const double value = alone + sums_[l].value + (without > 0 ? all - sums_[l].best : 0);
      if (value > high) high = value, own = alone, found = l;
    }
    if (high == kForbidden) return high;
    for (std::size_t j = 0; j < open_.size(); ++j) {
      x[j] = top_[j].first_state;
      const auto at = std::ranges::lower_bound(open_[j], static_cast<State>(found));
      if (at == open_[j].end() || *at != found) continue;
      const auto s = static_cast<State>(at - open_[j].begin());
      const double slope = potts_.label(static_cast<State>(found)).slope;
      const bool agree = agrees(j, s, layout_.score(scores, j, s), slope);
      x[j] = agree ? s : s == top_[j].first_state ? top_[j].second_state : top_[j].first_state;
    }
    return high;
  }

  const RobustPotts& potts_;
  std::vector<std::vector<State>> open_;  // states of the undecided
  std::vector<std::size_t> decided_;      // per label: decided variables in it
  std::size_t decided_variables_ = 0;
  std::vector<Top> top_;
  std::vector<Sum> sums_;
};

}  // namespace

std::unique_ptr<MessageKernel> RobustPotts::messages(Shape shape, Reduction reduction,
                                                     double temperature) const {
  if (shape.empty() || (reduction == Reduction::sum && !separated(shape))) return nullptr;
  return std::make_unique<LabelMessages>(*this, shape, reduction, temperature);
}

std::unique_ptr<Machine> RobustPotts::machine(Shape shape, Reduction reduction) const {
  if (reduction == Reduction::sum && separated(shape)) {
    return std::make_unique<LabelMachine>(*this, shape);
  }
  if (reduction != Reduction::max) return nullptr;
  const auto form = max_rank_one(shape);
  return std::make_unique<Star>(shape, form->size(), [form] {
    std::vector<double> numbers(form->size(), 0.0);
    for (std::size_t slot = 0; slot < form->term(0).size(); ++slot) {
      for (std::size_t z = 0; z < form->size(); ++z) numbers.push_back(form->term(z)[slot]);
    }
    return numbers;
  });
}

std::unique_ptr<Oracle> RobustPotts::oracle(Left left) const {
  return std::make_unique<LabelOracle>(*this, left);
}

// Where all must be equal, only states that all variables have.
void RobustPotts::narrow(ScopeStates& scope) const {
  if (otherwise_ != kForbidden) return;
  const bool strict = std::ranges::all_of(labels_, [](const Label& label) {
    return label.best == kForbidden || label.slope == kInfinity;
  });
  if (!strict) return;
  std::vector<State> common;
  for (const State l : scope.left(0)) {
    const bool everywhere = label(l).best != kForbidden && [&] {
      for (std::size_t j = 1; j < scope.arity(); ++j) {
        if (!std::ranges::binary_search(scope.left(j), l)) return false;
      }
      return true;
    }();
    scope.spend(scope.arity());
    if (everywhere) common.push_back(l);
  }
  if (common.empty()) return scope.contradict();
  for (std::size_t j = 0; j < scope.arity(); ++j) {
    scope.keep(j, [&](State x) { return std::ranges::binary_search(common, x); });
  }
}

}  // namespace fgnn
