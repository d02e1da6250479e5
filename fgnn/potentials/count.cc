#include "fgnn/potentials/count.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/potentials/checks.h"
#include "fgnn/potentials/counting.h"
#include "fgnn/potentials/low_rank.h"

namespace fgnn {
namespace {

// The state is the count so far, up to where it makes no difference any more. A row of numbers for
// each of "not chosen" and "chosen"; in it, first the steps by (t - s), then those of the last
// state s, which is not left again, by t.
class CountMachine final : public Machine {
 public:
  CountMachine(const Count& count, std::size_t n)
      : count_(count), n_(n), top_(std::min(count.saturation(), n)), row_(3 * top_ + 2) {}

  std::uint32_t states(std::size_t i) const override {
    return static_cast<std::uint32_t>(std::min(i + 1, top_) + 1);
  }
  std::size_t before(std::size_t i, std::uint32_t s) const override {
    if (i + 1 == n_) return 2 * row_ + s;
    return s == top_ ? 2 * top_ + 1 : top_ - s;
  }
  std::size_t reads(std::size_t i, State x) const override {
    return count_.is_chosen(i, x) ? (i + 1 == n_ ? 1 : row_) : 0;
  }
  std::size_t after(std::size_t, std::uint32_t t) const override { return t; }

  std::size_t entries() const override { return 2 * row_ + top_ + 2; }
  std::vector<double> numbers() const override {
    std::vector<double> numbers(entries(), kForbidden);
    for (const std::size_t chosen : {0, 1}) {
      if (top_ > 0) numbers[chosen * row_ + top_ + chosen] = 0;
      numbers[chosen * row_ + 3 * top_ + 1] = 0;
    }
    for (std::size_t k = 0; k < top_ + 2; ++k) {
      numbers[2 * row_ + k] = count_.value(std::min(k, top_));
    }
    return numbers;
  }

 private:
  const Count& count_;
  std::size_t n_, top_, row_;
};

}  // namespace

Count::Count(std::vector<double> values, double beyond, Chosen chosen)
    : values_(std::move(values)), beyond_(beyond), chosen_(std::move(chosen)) {
  check_log_values(values_, "count");
  check_log_values(std::span(&beyond_, 1), "count");
  if (chosen_.empty()) throw Error(ErrorCode::model, "count", "no states are chosen");
  for (auto& states : chosen_) {
    std::ranges::sort(states);
    states.erase(std::unique(states.begin(), states.end()), states.end());
  }
}

Count Count::at_most(std::size_t k, Chosen chosen) {
  return Count(std::vector<double>(k + 1, 0.0), kForbidden, std::move(chosen));
}

Count Count::at_least(std::size_t k, Chosen chosen) {
  return Count(std::vector<double>(k, kForbidden), 0.0, std::move(chosen));
}

Count Count::exactly(std::size_t k, Chosen chosen) {
  std::vector<double> values(k + 1, kForbidden);
  values[k] = 0;
  return Count(std::move(values), kForbidden, std::move(chosen));
}

std::string Count::misfit(Shape shape) const {
  if (chosen_.size() != 1 && chosen_.size() != shape.size()) {
    return fmt::format("chooses states for {} variables, the scope has {}", chosen_.size(),
                       shape.size());
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto& states = chosen_[chosen_.size() == 1 ? 0 : i];
    if (!states.empty() && states.back() >= shape[i]) {
      return fmt::format("chooses state {} of position {}, which has {} states", states.back(), i,
                         shape[i]);
    }
  }
  return {};
}

bool Count::is_chosen(std::size_t position, State x) const {
  const auto& states = chosen_[chosen_.size() == 1 ? 0 : position];
  return std::find(states.begin(), states.end(), x) != states.end();
}

double Count::score(std::span<const State> x) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) count += is_chosen(i, x[i]);
  return value(count);
}

void Count::fill(Shape shape, std::span<double> out) const {
  // Counts of the trailing variables first, then one more variable in front at a time.
  std::vector<std::uint32_t> counts(out.size());
  std::size_t size = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    for (State x = shape[i]; x-- > 0;) {
      const std::uint32_t more = is_chosen(i, x);
      for (std::size_t k = 0; k < size; ++k) {
        counts[x * size + k] = counts[k] + more;
      }
    }
    size *= shape[i];
  }
  std::vector<double> by_count;
  for (std::size_t k = 0; k <= shape.size(); ++k) by_count.push_back(value(k));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = by_count[counts[k]];
}

std::shared_ptr<const LowRank> Count::low_rank(Shape shape) const {
  const std::size_t n = shape.size();
  const ScoreRange values = range(shape);
  if (n > kMaxLowRankArity || values.high - values.low > kWidestSignedTerms) return nullptr;
  double scale = kForbidden;
  for (std::size_t k = 0; k <= n; ++k) scale = std::max(scale, value(k));
  if (scale == kForbidden) scale = 0;

  // f(k) = sum_r lambda_r cos(t_r)^(n-k) sin(t_r)^k for k = 0 .. n, at n+1 angles t_r equally
  // spaced on the half circle: the choice with the least cancellation among real nodes, which
  // still grows as binomial(n, n/2).
  using Real = long double;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const auto terms = static_cast<Eigen::Index>(n + 1);
  Matrix basis(terms, terms);
  Eigen::Matrix<Real, Eigen::Dynamic, 1> target(terms);
  std::vector<double> cosine(n + 1), sine(n + 1);
  for (std::size_t r = 0; r <= n; ++r) {
    const double angle = std::numbers::pi * (static_cast<double>(r) + 0.5) / double(n + 1);
    cosine[r] = std::cos(angle);
    sine[r] = std::sin(angle);
  }
  for (std::size_t k = 0; k <= n; ++k) {
    target[static_cast<Eigen::Index>(k)] = std::exp(value(k) - scale);
    for (std::size_t r = 0; r <= n; ++r) {
      basis(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(r)) =
          std::pow(static_cast<Real>(cosine[r]), static_cast<int>(n - k)) *
          std::pow(static_cast<Real>(sine[r]), static_cast<int>(k));
    }
  }
  const Eigen::Matrix<Real, Eigen::Dynamic, 1> solution = basis.fullPivLu().solve(target);
  std::vector<double> lambda(n + 1);
  std::vector<std::vector<double>> weights(n);
  for (std::size_t r = 0; r <= n; ++r) {
    lambda[r] = static_cast<double>(solution[static_cast<Eigen::Index>(r)]);
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (State x = 0; x < shape[j]; ++x) {
      const auto& row = is_chosen(j, x) ? sine : cosine;
      weights[j].insert(weights[j].end(), row.begin(), row.end());
    }
  }
  return std::make_shared<const LowRank>(std::vector<State>(shape.begin(), shape.end()),
                                         std::move(lambda), std::move(weights), scale);
}

std::size_t Count::saturation() const {
  std::size_t from = values_.size();
  while (from > 0 && values_[from - 1] == beyond_) --from;
  return from;
}

ScoreRange Count::range(Shape shape) const {
  ScoreRange range;
  for (std::size_t k = 0; k <= shape.size(); ++k) {
    range.include(value(k));
    if (k > values_.size()) break;  // the rest are the same
  }
  return range;
}

bool Count::equals(const Potential& other) const {
  const auto* count = dynamic_cast<const Count*>(&other);
  return count && count->values_ == values_ && count->beyond_ == beyond_ &&
         count->chosen_ == chosen_;
}

std::size_t Count::bytes() const {
  std::size_t total = sizeof(*this) + values_.size() * sizeof(double);
  for (const auto& states : chosen_) total += sizeof(states) + states.size() * sizeof(State);
  return total;
}

std::unique_ptr<Machine> Count::machine(Shape shape, Reduction) const {
  return std::make_unique<CountMachine>(*this, shape.size());
}

std::unique_ptr<Oracle> Count::oracle(Left left) const { return counting_oracle(*this, left); }

void Count::narrow(ScopeStates& scope) const { narrow_counting(*this, scope); }

}  // namespace fgnn
