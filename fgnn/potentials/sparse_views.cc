// What solvers get from listed joint states.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fgnn/potentials/best_unlisted.h"
#include "fgnn/potentials/semiring.h"
#include "fgnn/potentials/sparse.h"
#include "fgnn/potentials/star.h"

namespace fgnn {
namespace {

// Each row contributes its value times the other variables' messages.
class RowMessages final : public MessageKernel {
 public:
  RowMessages(const Sparse& sparse, Shape shape, double temperature)
      : arity_(shape.size()), width_(std::accumulate(shape.begin(), shape.end(), std::size_t{0})) {
    double high = kForbidden;
    for (std::size_t r = 0; r < sparse.size(); ++r) high = std::max(high, sparse.value(r));
    if (high != kForbidden) log_scale_ = high / temperature;
    for (std::size_t r = 0; r < sparse.size(); ++r) {
      logs_.push_back(sparse.value(r) / temperature);
      values_.push_back(std::exp(logs_.back() - log_scale_));
      std::uint32_t first = 0;
      for (std::size_t j = 0; j < arity_; first += shape[j++]) {
        slots_.push_back(first + sparse.row(r)[j]);
      }
    }
  }

  void run(Semiring semiring, const double* in, double* out, double* scratch) const override {
    with_semiring(semiring, [&](auto algebra) {
      const double scale = semiring == Semiring::log_sum ? log_scale_ : 0;
      run(algebra, semiring == Semiring::sum ? values_ : logs_, scale, in, out, scratch);
    });
  }
  std::size_t scratch() const override { return arity_ + 1; }
  std::uint64_t steps() const override { return width_ * std::max<std::size_t>(1, values_.size()); }
  double log_scale() const override { return log_scale_; }

 private:
  template <class A>
  void run(A, const std::vector<double>& values, double scale, const double* in, double* out,
           double* before) const {
    std::fill_n(out, width_, A::zero);
    for (std::size_t r = 0; r < values.size(); ++r) {
      const std::uint32_t* slots = slots_.data() + r * arity_;
      before[0] = values[r] - scale;
      for (std::size_t j = 0; j + 1 < arity_; ++j)
        before[j + 1] = A::times(before[j], in[slots[j]]);
      double after = A::one;
      for (std::size_t j = arity_; j-- > 0;) {
        double& sum = out[slots[j]];
        sum = A::plus(sum, A::times(before[j], after));
        after = A::times(after, in[slots[j]]);
      }
    }
  }

  std::size_t arity_, width_;
  double log_scale_ = 0;
  std::vector<double> logs_, values_;  // values: linear, divided by the scale
  std::vector<std::uint32_t> slots_;   // of row r from [r * arity]
};

// Listed states, and all others alike.
class ListOracle final : public Oracle {
 public:
  ListOracle(const Sparse& sparse, Left left)
      : Oracle(Layout(left)), otherwise_(sparse.otherwise()) {
    for (std::size_t i = 0; i < sparse.size(); ++i) add(sparse.row(i), sparse.value(i), left);
  }

  std::uint64_t steps() const override { return 8 * rows_.size(); }

 private:
  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck&) override {
    double high = kForbidden;
    std::size_t found = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double value = values_[i] + layout_.score(scores, row(i));
      if (value > high) high = value, found = i;
    }
    if (otherwise_ != kForbidden &&
        unlisted_.find(layout_, scores, [&](const auto& y) { return listed(y); }) &&
        otherwise_ + unlisted_.value() > high) {
      std::ranges::copy(unlisted_.state(), x.begin());
      own = otherwise_;
      return otherwise_ + unlisted_.value();
    }
    if (high == kForbidden) return high;
    std::ranges::copy(row(found), x.begin());
    own = values_[found];
    return high;
  }

  std::span<const State> row(std::size_t i) const {
    return std::span(rows_).subspan(i * layout_.arity(), layout_.arity());
  }

  // Rows are sorted, as the potential has them; leaving out decided positions keeps the order.
  bool listed(std::span<const State> x) const {
    std::size_t low = 0, high = values_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (std::ranges::lexicographical_compare(row(middle), x)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < values_.size() && std::ranges::equal(row(low), x);
  }

  void add(std::span<const State> full, double value, Left left) {
    const std::size_t before = rows_.size();
    for (std::size_t j = 0; j < left.size(); ++j) {
      const auto at = std::ranges::lower_bound(*left[j], full[j]);
      if (at == left[j]->end() || *at != full[j]) {
        rows_.resize(before);
        return;
      }
      if (left[j]->size() > 1) rows_.push_back(static_cast<State>(at - left[j]->begin()));
    }
    values_.push_back(value);
  }

  double otherwise_;
  std::vector<State> rows_;
  std::vector<double> values_;
  BestUnlisted unlisted_;
};

}  // namespace

std::unique_ptr<MessageKernel> Sparse::messages(Shape shape, Reduction, double temperature) const {
  if (otherwise_ != kForbidden) return nullptr;
  return std::make_unique<RowMessages>(*this, shape, temperature);
}

std::unique_ptr<Machine> Sparse::machine(Shape shape, Reduction) const {
  if (otherwise_ != kForbidden || size() == 0) return nullptr;
  return std::make_unique<Star>(shape, size(), [this] {
    std::vector<double> numbers = values_;
    for (std::size_t j = 0; j < shape_.size(); ++j) {
      for (State x = 0; x < shape_[j]; ++x) {
        for (std::size_t z = 0; z < size(); ++z) {
          numbers.push_back(row(z)[j] == x ? 0.0 : kForbidden);
        }
      }
    }
    return numbers;
  });
}

std::unique_ptr<Oracle> Sparse::oracle(Left left) const {
  return std::make_unique<ListOracle>(*this, left);
}

}  // namespace fgnn
