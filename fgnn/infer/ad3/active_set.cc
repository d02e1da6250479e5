#include "fgnn/infer/ad3/active_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fgnn::admm {
namespace {

constexpr double kNegative = -1e-12;  // weights below this are
constexpr double kSingular = 1e-9;    // squared distance from the affine hull; vertices are 0/1

}  // namespace

ActiveSet::ActiveSet(Oracle& oracle)
    : oracle_(oracle),
      candidate_(oracle.layout().arity()),
      scores_(oracle.layout().coordinates()) {}

bool ActiveSet::solve(std::span<const double> a, double step, std::span<double> q,
                      TimeCheck& time) {
  const Layout& layout = oracle_.layout();
  const auto ask = [&](double& own) { return oracle_.best(scores_, candidate_, own, time); };
  double own = 0;
  if (size() == 0) {
    for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] = step * a[i];
    if (ask(own) == kInfinity) return false;
    insert(own, time);
  }
  // Every round changes the set; the bound on their number only guards against rounding.
  for (std::size_t round = 0; round < 100 + 10 * layout.coordinates(); ++round) {
    if (time.late(4 * size() * size())) return false;
    solve_weights(a, step);
    if (!shift_weights(time)) continue;
    point(q);
    double level = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] = step * (a[i] - q[i]);
    for (std::size_t i = 0; i < size(); ++i) {
      level += weights_[i] * (own_[i] + layout.score(scores_, vertex(i)));
    }
    const double best = ask(own);
    if (best == kInfinity) return false;
    if (best <= level + 1e-11 * (step + std::abs(level)) || !insert(own, time)) return true;
  }
  point(q);
  return true;
}

double ActiveSet::inner(std::span<const State> x, std::span<const State> y) const {
  const auto& sizes = oracle_.layout().sizes;
  double sum = 1;
  for (std::size_t j = 0; j < x.size(); ++j) {
    sum += static_cast<double>(x[j] == y[j] && (sizes[j] > 2 || x[j] == 1));
  }
  return sum;
}

void ActiveSet::point(std::span<double> q) const {
  std::ranges::fill(q, 0.0);
  for (std::size_t i = 0; i < size(); ++i) {
    oracle_.layout().ones(vertex(i), [&](std::size_t k) { q[k] += weights_[i]; });
  }
}

// G w = c + mu 1 with G = <v, v'> + 1 and c_v = <a, v> + theta_v / step; mu makes the sum one. The
// added 1 changes nothing where the sum is fixed, and makes G regular.
void ActiveSet::solve_weights(std::span<const double> a, double step) {
  const std::size_t n = size();
  target_.resize(n);
  ones_.assign(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    target_[i] = own_[i] / step + oracle_.layout().score(a, vertex(i));
  }
  // A common constant in c has no effect; without it less is lost to rounding.
  const double high = *std::ranges::max_element(target_);
  for (double& t : target_) t -= high;
  lower_solve(target_);
  upper_solve(target_);
  lower_solve(ones_);
  upper_solve(ones_);
  const double mu = (1 - std::accumulate(target_.begin(), target_.end(), 0.0)) /
                    std::accumulate(ones_.begin(), ones_.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) target_[i] += mu * ones_[i];
}

// Goes from the weights towards the target; false when a weight reached zero before, and was
// dropped.
bool ActiveSet::shift_weights(TimeCheck& time) {
  double share = 1;
  std::size_t first = size();
  for (std::size_t i = 0; i < size(); ++i) {
    if (target_[i] >= kNegative) continue;
    const double at = weights_[i] / (weights_[i] - target_[i]);
    if (first == size() || at < share) share = at, first = i;
  }
  for (std::size_t i = 0; i < size(); ++i) {
    weights_[i] = std::max(0.0, weights_[i] + share * (target_[i] - weights_[i]));
  }
  if (first == size()) return true;
  remove(first, time);
  return false;
}

// Adds the candidate. When it lies in the affine hull of the others, weight moves to it along the
// line on which q stays the same, until another vertex has none left. False when it is there
// already (by rounding).
bool ActiveSet::insert(double own, TimeCheck& time) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (std::ranges::equal(vertex(i), candidate_)) return false;
  }
  double weight = size() == 0 ? 1.0 : 0.0;
  if (!append_row(candidate_)) {
    upper_solve(column_);  // the candidate as a combination of the others
    std::size_t first = size();
    for (std::size_t i = 0; i < size(); ++i) {
      if (column_[i] <= 1e-12) continue;
      const double most = weights_[i] / column_[i];
      if (first == size() || most < weight) weight = most, first = i;
    }
    if (first == size()) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      weights_[i] = std::max(0.0, weights_[i] - weight * column_[i]);
    }
    remove(first, time);
    if (!append_row(candidate_)) return false;
  }
  vertices_.insert(vertices_.end(), candidate_.begin(), candidate_.end());
  own_.push_back(own);
  weights_.push_back(weight);
  return true;
}

// Extends the Cholesky factor by x; false, and no change, when x is affinely dependent. Leaves the
// forward-solved column in column_.
bool ActiveSet::append_row(std::span<const State> x) {
  const std::size_t n = size();
  column_.resize(n);
  for (std::size_t i = 0; i < n; ++i) column_[i] = inner(vertex(i), x);
  lower_solve(column_);
  double pivot = inner(x, x);
  for (const double c : column_) pivot -= c * c;
  if (pivot < kSingular) return false;
  lower_.resize(n * (n + 1) / 2);
  lower_.insert(lower_.end(), column_.begin(), column_.end());
  lower_.push_back(std::sqrt(pivot));
  return true;
}

void ActiveSet::lower_solve(std::span<double> b) const {
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= row(i)[k] * b[k];
    b[i] /= row(i)[i];
  }
}

void ActiveSet::upper_solve(std::span<double> b) const {
  for (std::size_t i = b.size(); i-- > 0;) {
    b[i] /= row(i)[i];
    for (std::size_t k = 0; k < i; ++k) b[k] -= row(i)[k] * b[i];
  }
}

void ActiveSet::remove(std::size_t i, TimeCheck& time) {
  const auto n = static_cast<std::ptrdiff_t>(oracle_.layout().arity());
  const auto at = static_cast<std::ptrdiff_t>(i);
  vertices_.erase(vertices_.begin() + at * n, vertices_.begin() + (at + 1) * n);
  own_.erase(own_.begin() + at);
  weights_.erase(weights_.begin() + at);
  factorise(i, time);
}

// Rows before `from` stay as they are.
void ActiveSet::factorise(std::size_t from, TimeCheck& time) {
  const std::size_t n = size();
  lower_.resize(n * (n + 1) / 2);
  for (std::size_t i = from; i < n && !time.late(i * i); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = inner(vertex(i), vertex(j));
      for (std::size_t k = 0; k < j; ++k) sum -= row(i)[k] * row(j)[k];
      row(i)[j] = i == j ? std::sqrt(sum) : sum / row(j)[j];
    }
  }
}

}  // namespace fgnn::admm
