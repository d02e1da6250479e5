#include "fgnn/infer/exact/branches.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fgnn::exact {
namespace {

// The sources of a problem, read with some variables of the cut set held: the first `depth`.
class Held {
 public:
  explicit Held(const Branching& b)
      : problem_(b.problem),
        cut_(b.cut),
        plan_(b.pass.plan),
        all_(b.pass.data),
        data_(b.pass.data),
        budget_(b.pass.budget),
        hold_(b.pass.budget),
        states_(b.problem.variables.size(), 0) {
    std::vector<std::uint32_t> place(problem_.variables.size(), 0);
    for (std::uint32_t i = 0; i < cut_.size(); ++i) place[cut_[i]] = i + 1;
    std::size_t most = 0;
    for (std::uint32_t s = 0; s < problem_.sources.size(); ++s) {
      const Source& source = problem_.sources[s];
      if (source.held.empty()) continue;
      Touched touched{s, 0, {}};
      for (const auto& axis : source.held)
        touched.last = std::max(touched.last, place[axis.variable]);
      touched_.push_back(std::move(touched));
      most += reach(source);
    }
    hold_.take(most * sizeof(double));
    places_ = std::move(place);
  }

  void hold(std::size_t i, State x) { states_[cut_[i]] = x; }
  const std::vector<State>& states() const { return states_; }
  const std::vector<const double*>& data() const { return data_; }

  // Reads every source with the first `depth` variables held and at its maximum over the others.
  // Returns the sum of those that have no other variables: forbidden where the branch is.
  double read(std::size_t depth) {
    double loose = 0;
    for (Touched& touched : touched_) {
      const Source& source = problem_.sources[touched.source];
      if (source.axes.empty()) {
        loose += highest(source, depth, 0, 0, all_[touched.source]);
      } else if (touched.last <= depth) {
        data_[touched.source] = all_[touched.source] + shift(source);
      }
    }
    if (loose == kForbidden) return loose;
    for (Touched& touched : touched_) {
      const Source& source = problem_.sources[touched.source];
      if (!source.axes.empty() && touched.last > depth) relax(touched, source, depth);
    }
    return loose;
  }

  // Whether a source at the cut set forbids anything.
  bool forbids() const {
    return std::ranges::any_of(touched_, [this](const Touched& touched) {
      const double* from = all_[touched.source];
      return std::find(from, from + reach(problem_.sources[touched.source]), kForbidden) !=
             from + reach(problem_.sources[touched.source]);
    });
  }

 private:
  struct Touched {
    std::uint32_t source;
    std::uint32_t last;           // depth from which all its variables of the cut set are held
    std::vector<double> maximum;  // over those that are not
  };

  std::size_t offset(const Source::Axis& axis, State x) const {
    return plan_.offsets[axis.offsets + x];
  }

  // Places of the source's numbers end before this.
  std::size_t reach(const Source& source) const {
    std::size_t most = source.base;
    for (const auto* axes : {&source.axes, &source.held}) {
      for (const auto& axis : *axes) {
        std::size_t furthest = 0;
        for (State x = 0; x < problem_.variables[axis.variable].states; ++x) {
          furthest = std::max(furthest, offset(axis, x));
        }
        most += furthest;
      }
    }
    return most + 1;
  }

  std::size_t shift(const Source& source) const {
    std::size_t sum = 0;
    for (const auto& axis : source.held) sum += offset(axis, states_[axis.variable]);
    return sum;
  }

  // Over the held axes from `i` on, at this place of the others.
  double highest(const Source& source, std::size_t depth, std::size_t i, std::size_t at,
                 const double* numbers) const {
    if (i == source.held.size()) return numbers[source.base + at];
    const auto& axis = source.held[i];
    if (places_[axis.variable] <= depth) {
      return highest(source, depth, i + 1, at + offset(axis, states_[axis.variable]), numbers);
    }
    double most = kForbidden;
    for (State x = 0; x < problem_.variables[axis.variable].states; ++x) {
      most = std::max(most, highest(source, depth, i + 1, at + offset(axis, x), numbers));
    }
    return most;
  }

  void relax(Touched& touched, const Source& source, std::size_t depth) {
    auto& values = touched.maximum;
    values.resize(reach(source));
    std::vector<State> shape, x(source.axes.size(), 0);
    for (const auto& axis : source.axes) shape.push_back(problem_.variables[axis.variable].states);
    do {
      std::size_t at = 0;
      for (std::size_t i = 0; i < x.size(); ++i) at += offset(source.axes[i], x[i]);
      values[source.base + at] = highest(source, depth, 0, at, all_[touched.source]);
    } while (next_configuration(shape, x));
    budget_.check_time();
    data_[touched.source] = values.data();
  }

  const Problem& problem_;
  const std::vector<Id>& cut_;
  const Buckets& plan_;
  const std::vector<const double*>& all_;
  std::vector<const double*> data_;
  const Budget& budget_;
  Hold hold_;
  std::vector<State> states_;          // of held variables
  std::vector<std::uint32_t> places_;  // in the cut set, from 1; 0: not in it
  std::vector<Touched> touched_;
};

class Walk {
 public:
  Walk(const Branching& b, Semiring semiring)
      : problem_(b.problem),
        cut_(b.cut),
        outer_(b.pass),
        semiring_(semiring),
        held_(b),
        stage_(b.pass.control, "branches", 1),
        unwatched_{nullptr, b.pass.control.stop},
        bounds_help_(semiring == Semiring::max || held_.forbids()),
        most_(b.most_operations),
        left_(most_) {
    for (const Bucket& bucket : outer_.plan.buckets) {
      per_pass_ += static_cast<double>(bucket.entries) * bucket.states;
    }
  }

  // Calls leaf(up, loose) for the branches that are entered. For maxima, it returns the best score
  // so far.
  // False when it was given up.
  template <class Leaf>
  bool run(Leaf leaf) {
    visit(0, 1.0, leaf);
    return left_ >= 0;
  }

  const Held& held() const { return held_; }
  Pass pass() const {
    return {outer_.plan, held_.data(), outer_.threads, outer_.budget, unwatched_, outer_.keep};
  }

 private:
  struct Child {
    State state;
    double bound;
  };

  template <class Leaf>
  void visit(std::size_t depth, double share, Leaf& leaf) {
    if (left_ < 0) return;
    if (depth == cut_.size()) {
      enter(leaf);
      leave_behind(share);
      return;
    }
    const State states = problem_.variables[cut_[depth]].states;
    std::vector<Child> children;
    for (State x = 0; x < states; ++x) {
      held_.hold(depth, x);
      children.push_back({x, bound(depth + 1)});
    }
    if (semiring_ == Semiring::max) {
      std::ranges::stable_sort(children, std::greater<>(), &Child::bound);
    }
    for (const Child& child : children) {
      if (left_ < 0) return;
      if (beaten(child.bound)) {
        leave_behind(share / states);
        continue;
      }
      held_.hold(depth, child.state);
      visit(depth + 1, share / states, leaf);
    }
  }

  // Below the best by more than rounding.
  bool beaten(double bound) const {
    return bound == kForbidden ||
           (best_ != kForbidden && bound < best_ - 1e-9 * (1 + std::abs(best_)));
  }

  // Of the best below, with so many held; infinite where it is not worth an elimination.
  double bound(std::size_t depth) {
    double leaves = 1;
    for (std::size_t i = depth; i < cut_.size(); ++i) {
      leaves *= problem_.variables[cut_[i]].states;
    }
    if (!bounds_help_ || leaves < 4) return kInfinity;
    const double loose = held_.read(depth);
    if (loose == kForbidden || !afford()) return kForbidden;
    up_ = upward(pass(), Semiring::max, std::move(up_));
    return up_.total + loose;
  }

  template <class Leaf>
  void enter(Leaf& leaf) {
    const double loose = held_.read(cut_.size());
    if (loose == kForbidden || !afford()) return;
    up_ = upward(pass(), semiring_, std::move(up_));
    if (up_.total != kForbidden) best_ = leaf(up_, loose);
  }

  void leave_behind(double share) {
    behind_ += share;
    stage_.advance(share);
  }

  // The next elimination. Also given up is what after a part of the operations does not look as if
  // it would end with a few times as many as there are.
  bool afford() {
    constexpr double kPart = 0.5, kTimes = 4;
    left_ -= per_pass_;
    const double spent = most_ - left_;
    if (most_ < kInfinity && spent > kPart * most_ && spent > kTimes * most_ * behind_) left_ = -1;
    return left_ >= 0;
  }

  const Problem& problem_;
  const std::vector<Id>& cut_;
  const Pass& outer_;
  Semiring semiring_;
  Held held_;
  Stage stage_;
  Control unwatched_;
  bool bounds_help_;
  double most_, left_, per_pass_ = 0;  // joint states
  double behind_ = 0;                  // share of the branches that are done
  Upward up_;
  double best_ = kForbidden;
};

// Posteriors of branches, weighed by their Z.
class Mixture {
 public:
  explicit Mixture(const Problem& problem) {
    for (const auto& v : problem.variables) sums_.emplace_back(v.states, 0.0);
  }

  // The weight of a branch beside those before it.
  double add(double log_z) {
    if (log_z > scale_) {
      const double shrink = scale_ == kForbidden ? 0 : std::exp(scale_ - log_z);
      for (auto& row : sums_) {
        for (double& sum : row) sum *= shrink;
      }
      total_ *= shrink;
      scale_ = log_z;
    }
    const double weight = std::exp(log_z - scale_);
    total_ += weight;
    return weight;
  }

  std::vector<double>& row(Id v) { return sums_[v]; }

  BranchSum take() {
    if (total_ == 0) return {};
    for (auto& row : sums_) {
      for (double& sum : row) sum /= total_;
    }
    return {scale_ + std::log(total_), std::move(sums_)};
  }

 private:
  std::vector<std::vector<double>> sums_;
  double scale_ = kForbidden, total_ = 0;
};

}  // namespace

BranchSum sum_of_branches(const Branching& branching) {
  const Problem& problem = branching.problem;
  Hold hold(branching.pass.budget);
  for (const auto& v : problem.variables) hold.take(sizeof(std::vector<double>) + 8 * v.states);
  Mixture mixture(problem);
  Walk walk(branching, Semiring::sum);
  walk.run([&](Upward& up, double loose) {
    const double weight = mixture.add(up.total + loose);
    const auto posterior = backward(walk.pass(), up);
    for (std::size_t b = 0; b < posterior.size(); ++b) {
      auto& row = mixture.row(branching.pass.plan.buckets[b].variable);
      for (std::size_t x = 0; x < row.size(); ++x) row[x] += weight * posterior[b][x];
    }
    for (Id v : branching.cut) mixture.row(v)[walk.held().states()[v]] += weight;
    return kForbidden;
  });
  return mixture.take();
}

std::optional<Best> best_of_branches(const Branching& branching) {
  Best best{{}, kForbidden};
  Walk walk(branching, Semiring::max);
  const bool finished = walk.run([&](const Upward& up, double loose) {
    if (up.total + loose > best.score) {
      best = best_choice(walk.pass(), up);
      best.score = up.total + loose;
      for (Id v : branching.cut) best.states[v] = walk.held().states()[v];
    }
    return best.score;
  });
  if (!finished) return std::nullopt;
  return best;
}

}  // namespace fgnn::exact
