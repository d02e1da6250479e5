#include "fgnn/infer/ad3/solver.h"

#include <algorithm>
#include <cmath>

namespace fgnn::admm {
namespace {

constexpr double kStill = 1e-13;  // changes below this count as no change
constexpr std::size_t kAdaptEvery = 10, kCheckEvery = 20;
constexpr double kAdaptFactor = 2;
// The step changes when one residual is this many times the other.
constexpr double kDominates = 30;
// Of a factor's step, in simple ones; what an active set does comes on top.
constexpr std::size_t kPerCoordinate = 16;
// Simple steps that all oracles together may take without a look at the clock.
constexpr std::uint64_t kLongSearch = 1 << 18;
constexpr double kLeastStep = 1e-6, kMostStep = 1e6;

}  // namespace

Solver::Solver(const FactorGraph& graph, const Domains& domains, TableStore& tables,
               const Ad3Options& options, const Warm* warm)
    : graph_(graph),
      domains_(domains),
      options_(options),
      problem_(restate(graph, domains, tables)) {
  if (feasible()) start(warm);
}

void Solver::start(const Warm* warm) {
  const std::size_t global = problem_.theta.size(), local = problem_.at.size();
  p_.assign(global + 1, 0.5);
  p_[global] = 0;
  sum_.assign(global + 1, 0.0);
  moved_.assign(global, 1);
  inverse_degree_.resize(global);
  copy_begin_.assign(global + 1, 0);
  for (std::size_t k = 0; k < global; ++k) {
    inverse_degree_[k] = problem_.degree[k] == 0 ? 0.0 : 1.0 / problem_.degree[k];
    copy_begin_[k + 1] = copy_begin_[k] + problem_.degree[k];
  }
  copy_.resize(problem_.copies);
  std::vector<std::uint32_t> next = copy_begin_;
  for (std::size_t l = 0; l < local; ++l) {
    const std::size_t k = coordinate_of(l);
    if (k < global) copy_[next[k]++] = static_cast<std::uint32_t>(l);
  }
  for (VariableId v = 0; v < graph_.num_variables(); ++v) {
    const std::size_t n = problem_.coordinates(v);
    if (n > 1) std::fill_n(p_.begin() + problem_.coordinate[v], n, 1.0 / static_cast<double>(n));
  }
  q_.assign(local, 0.0);
  shares_.assign(local, 0.0);
  shift_.assign(problem_.factors.size(), 0.0);
  dirty_.assign(problem_.factors.size(), 1);
  step_ = options_.step;
  active_sets_.reserve(problem_.oracles.size());
  std::size_t widest = 0, longest = 0;
  for (const LocalFactor& f : problem_.factors) {
    widest = std::max<std::size_t>(widest, f.last - f.first);
  }
  for (const LaneGroup& g : problem_.groups) {
    widest = std::max<std::size_t>(widest, g.arity * kLanes);
  }
  for (const auto& oracle : problem_.oracles) {
    longest = std::max(longest, oracle->layout().arity());
    active_sets_.emplace_back(*oracle);
  }
  scratch_.resize(widest);
  states_.resize(longest);
  if (warm != nullptr) start_from(*warm);
  balance_shares();
  solve_loose_variables();
}

void Solver::start_from(const Warm& warm) {
  step_ = warm.step;
  std::vector<std::size_t> offset(graph_.num_edges() + 1, 0);
  for (EdgeId e = 0; e < graph_.num_edges(); ++e) {
    offset[e + 1] = offset[e] + graph_.states(graph_.variable_of(e));
  }
  for (const LocalEdge& edge : problem_.edges) {
    const auto& states = domains_.allowed[graph_.variable_of(edge.edge)];
    const double* shares = warm.shares.data() + offset[edge.edge];
    if (states.size() == 2) {
      shares_[edge.first] = shares[states[1]] - shares[states[0]];
      continue;
    }
    for (std::size_t i = 0; i < states.size(); ++i) shares_[edge.first + i] = shares[states[i]];
  }
  for (VariableId v = 0; v < graph_.num_variables(); ++v) {
    const auto& states = domains_.allowed[v];
    double total = 0;
    for (const State x : states) total += warm.marginals[v][x];
    if (total < 0.01) continue;
    if (states.size() == 2) {
      p_[problem_.coordinate[v]] = warm.marginals[v][states[1]] / total;
    } else if (states.size() > 2) {
      for (std::size_t i = 0; i < states.size(); ++i) {
        p_[problem_.coordinate[v] + i] = warm.marginals[v][states[i]] / total;
      }
    }
  }
}

// What is missing of the unary terms goes in equal parts to all factors of a coordinate.
void Solver::balance_shares() {
  std::ranges::fill(sum_, 0.0);
  for (std::size_t l = 0; l < shares_.size(); ++l) sum_[coordinate_of(l)] += shares_[l];
  for (std::size_t k = 0; k < problem_.theta.size(); ++k) {
    sum_[k] = (problem_.theta[k] - sum_[k]) * inverse_degree_[k];
  }
  for (std::size_t l = 0; l < shares_.size(); ++l) shares_[l] += sum_[coordinate_of(l)];
}

// Variables in no factor take their best state.
void Solver::solve_loose_variables() {
  for (VariableId v = 0; v < graph_.num_variables(); ++v) {
    const std::size_t n = problem_.coordinates(v), first = problem_.coordinate[v];
    if (n == 0 || problem_.degree[first] > 0) continue;
    const auto theta = std::span(problem_.theta).subspan(first, n);
    const auto p = std::span(p_).subspan(first, n);
    if (n == 1) {
      p[0] = theta[0] > 0 ? 1.0 : 0.0;
    } else {
      std::ranges::fill(p, 0.0);
      p[static_cast<std::size_t>(std::ranges::max_element(theta) - theta.begin())] = 1;
    }
  }
}

Status Solver::run(const Limits& limits) {
  const Deadline& deadline = limits.deadline;
  if (problem_.copies == 0) return proved(deadline) ? Status::exact : Status::converged;
  residuals_.reserve(std::min<std::size_t>(limits.iterations, 4096));
  TimeCheck time(deadline);
  std::uint64_t searches = 0;
  for (const auto& oracle : problem_.oracles) searches += oracle->steps();
  // Where a bound takes long there may be no time for one in the end.
  if (searches >= kLongSearch) proved(deadline);
  Stage stage(limits.control, "ad3", static_cast<double>(limits.iterations));
  for (std::size_t i = 1; i <= limits.iterations; ++i) {
    if (!factor_steps(time)) return proved(deadline) ? Status::exact : stopped_by(deadline);
    average();
    share_steps();
    ++iterations_;
    residuals_.push_back(std::max(primal_, dual_));
    stage.now().residual = residuals_.back();
    if (bound_ < kInfinity) stage.now().bound = bound_;
    stage.advance();
    const bool still = primal_ <= options_.tolerance && dual_ <= options_.tolerance;
    const bool late = deadline.expired();
    if (still || late || i % kCheckEvery == 0 || i == limits.iterations) {
      if (proved(deadline)) return Status::exact;
      if (still || bound_ <= limits.cutoff) return Status::converged;
      if (late) return stopped_by(deadline);
    }
    if (i % kAdaptEvery == 0) adapt_step();
  }
  if (iterations_ == 0) proved(deadline);
  return Status::iteration_limit;
}

LaneArrays Solver::lane_arrays() {
  return {problem_.at.data(), p_.data(), shares_.data(), q_.data(), scratch_.data()};
}

bool Solver::factor_steps(TimeCheck& time) {
  const LaneArrays arrays = lane_arrays();
  for (LaneGroup& group : problem_.groups) {
    if (time.late(group.factors * group.arity)) return false;
    step_lanes(group, arrays, step_);
  }
  for (std::size_t c = 0; c < problem_.factors.size(); ++c) {
    if (!dirty_[c]) continue;
    const LocalFactor& f = problem_.factors[c];
    if (time.late(kPerCoordinate * (f.last - f.first)) || !factor_step(c, time)) return false;
  }
  return true;
}

bool Solver::factor_step(std::size_t c, TimeCheck& time) {
  const LocalFactor& f = problem_.factors[c];
  const double inverse = 1 / step_;
  const std::size_t n = f.last - f.first;
  const auto a = std::span(scratch_).first(n);
  const auto q = std::span(q_).subspan(f.first, n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = p_[coordinate_of(f.first + i)] + inverse * shares_[f.first + i];
  }
  if (f.kind == Kind::count) {
    count_factor_step(c, a, q);
  } else if (f.kind == Kind::parity) {
    parity_step(a, f.odd, shift_[c], q);
  } else {
    return active_sets_[f.oracle].solve(a, step_, q, time);
  }
  return true;
}

void Solver::count_factor_step(std::size_t c, std::span<double> a, std::span<double> q) {
  const LocalFactor& f = problem_.factors[c];
  const auto turn = [&](std::span<double> y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (problem_.turned[f.first + i]) y[i] = 1 - y[i];
    }
  };
  if (f.turned) turn(a);
  count_step(a, problem_.count(f), step_, shift_[c], q);
  if (f.turned) turn(q);
}

void Solver::average() {
  double change = 0;
  for (std::size_t k = 0; k < problem_.theta.size(); ++k) {
    if (problem_.degree[k] == 0) continue;
    double sum = 0;
    for (std::uint32_t i = copy_begin_[k]; i < copy_begin_[k + 1]; ++i) sum += q_[copy_[i]];
    const double now = sum * inverse_degree_[k], by = now - p_[k];
    moved_[k] = std::abs(by) > kStill;
    change += problem_.degree[k] * by * by;
    p_[k] = now;
  }
  dual_ = std::sqrt(change / static_cast<double>(problem_.copies));
}

void Solver::share_steps() {
  double apart = share_lanes(problem_.grouped, lane_arrays(), step_);
  for (std::size_t c = 0; c < problem_.factors.size(); ++c) {
    const LocalFactor& f = problem_.factors[c];
    bool dirty = false;
    for (std::uint32_t l = f.first; l < f.last; ++l) {
      const std::size_t k = coordinate_of(l);
      const double by = q_[l] - p_[k];
      apart += by * by;
      shares_[l] -= step_ * by;
      dirty = dirty || std::abs(by) > kStill || moved_[k] != 0;
    }
    dirty_[c] = dirty;
  }
  primal_ = std::sqrt(apart / static_cast<double>(problem_.copies));
}

void Solver::adapt_step() {
  if (!options_.adapt_step) return;
  double step = step_;
  if (primal_ > kDominates * dual_) step *= kAdaptFactor;
  if (dual_ > kDominates * primal_) step /= kAdaptFactor;
  step = std::clamp(step, kLeastStep, kMostStep);
  if (step == step_) return;
  step_ = step;
  std::ranges::fill(dirty_, 1);
}

// Updates the bound, unless that takes long and time is over; true when the rounded assignment
// meets it.
bool Solver::proved(const Deadline& deadline) {
  bound_ = std::min(bound_, compute_bound(TimeCheck(deadline)));
  return bound_ - graph_.score(rounded()) <= options_.gap;
}

double Solver::compute_bound(TimeCheck time) {
  double total = problem_.constant;
  for (const LocalFactor& f : problem_.factors) total += best_of_factor(f, time);
  for (const LaneGroup& group : problem_.groups) total += best_of_group(group);
  std::ranges::fill(sum_, 0.0);
  for (std::size_t l = 0; l < shares_.size(); ++l) sum_[coordinate_of(l)] += shares_[l];
  for (VariableId v = 0; v < graph_.num_variables(); ++v) {
    const std::size_t n = problem_.coordinates(v), first = problem_.coordinate[v];
    double best = n == 1 ? 0.0 : kForbidden;
    for (std::size_t k = first; k < first + n; ++k) {
      best = std::max(best, problem_.theta[k] - sum_[k]);
    }
    if (n > 0) total += best;
  }
  return total;
}

double Solver::best_of_factor(const LocalFactor& f, TimeCheck& time) {
  const auto shares = std::span(shares_).subspan(f.first, f.last - f.first);
  if (f.kind == Kind::general) {
    double own = 0;
    return problem_.oracles[f.oracle]->best(shares, states_, own, time);
  }
  const auto gains = std::span(scratch_).first(shares.size());
  double base = 0;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const bool turned = problem_.turned[f.first + i] != 0;
    gains[i] = turned ? -shares[i] : shares[i];
    if (turned) base += shares[i];
  }
  if (f.kind == Kind::parity) return best_parity(gains, f.odd);
  return base + best_count(gains, problem_.count(f));
}

double Solver::best_of_group(const LaneGroup& group) {
  const auto gains = std::span(scratch_).first(group.arity);
  double total = 0;
  for (std::size_t j = 0; j < group.factors; ++j) {
    for (std::size_t i = 0; i < gains.size(); ++i) {
      gains[i] = shares_[group.first + i * group.lanes + j];
    }
    if (group.pair) {
      total += std::max({0.0, gains[0], gains[1], gains[0] + gains[1] + group.coupling[j]});
    } else {
      total += best_between(gains, static_cast<std::size_t>(group.least[j]),
                            static_cast<std::size_t>(group.most[j]));
    }
  }
  return total;
}

Marginals Solver::marginals() const {
  Marginals result(graph_);
  for (VariableId v = 0; v < graph_.num_variables(); ++v) {
    const auto& states = domains_.allowed[v];
    const double* p = p_.data() + problem_.coordinate[v];
    if (states.size() == 1) {
      result[v][states[0]] = 1;
    } else if (states.size() == 2) {
      result[v][states[1]] = std::clamp(p[0], 0.0, 1.0);
      result[v][states[0]] = 1 - result[v][states[1]];
    } else {
      for (std::size_t i = 0; i < states.size(); ++i) {
        result[v][states[i]] = std::clamp(p[i], 0.0, 1.0);
      }
    }
  }
  return result;
}

std::vector<State> Solver::rounded() const {
  std::vector<State> x(graph_.num_variables());
  for (VariableId v = 0; v < x.size(); ++v) {
    const auto& states = domains_.allowed[v];
    const auto p = std::span(p_).subspan(problem_.coordinate[v], problem_.coordinates(v));
    std::size_t best = 0;
    if (p.size() == 1) {
      best = p[0] > 0.5;
    } else if (p.size() > 1) {
      best = static_cast<std::size_t>(std::ranges::max_element(p) - p.begin());
    }
    x[v] = states[best];
  }
  return x;
}

Warm Solver::warm() const {
  Warm warm;
  warm.step = step_;
  warm.marginals = marginals();
  std::vector<std::size_t> offset(graph_.num_edges() + 1, 0);
  for (EdgeId e = 0; e < graph_.num_edges(); ++e) {
    offset[e + 1] = offset[e] + graph_.states(graph_.variable_of(e));
  }
  warm.shares.assign(offset.back(), 0.0);
  for (const LocalEdge& edge : problem_.edges) {
    const auto& states = domains_.allowed[graph_.variable_of(edge.edge)];
    double* shares = warm.shares.data() + offset[edge.edge];
    if (states.size() == 2) {
      shares[states[1]] = shares_[edge.first];
      continue;
    }
    for (std::size_t i = 0; i < states.size(); ++i) shares[states[i]] = shares_[edge.first + i];
  }
  return warm;
}

}  // namespace fgnn::admm
