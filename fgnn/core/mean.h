// A mean that may be of nothing, with its standard error.
//
// The sum of squared distances from the mean is kept as values come in (Welford 1962) and joined
// exactly (Chan, Golub and LeVeque 1983), never as a difference of large sums.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

namespace fgnn {

class Mean {
 public:
  void add(double value) { join(value, 0, 1); }
  void add(const Mean& other) { join(other.sum_, other.spread_, other.count_); }
  std::size_t count() const { return count_; }
  std::optional<double> value() const { return count_ ? std::optional(mean()) : std::nullopt; }
  // Standard error; none of a single value, nor of infinite ones.
  std::optional<double> error() const {
    if (count_ < 2 || !std::isfinite(spread_)) return std::nullopt;
    const auto n = static_cast<double>(count_);
    return std::sqrt(spread_ / n / (n - 1));
  }

 private:
  double mean() const { return sum_ / static_cast<double>(count_); }

  void join(double sum, double spread, std::size_t count) {
    if (count == 0) return;
    if (count_ > 0) {
      const auto n = static_cast<double>(count_), m = static_cast<double>(count);
      const double distance = sum / m - mean();
      spread_ += spread + distance * distance * (n * m / (n + m));
    } else {
      spread_ = spread;
    }
    sum_ += sum;
    count_ += count;
  }

  double sum_ = 0, spread_ = 0;
  std::size_t count_ = 0;
};

}  // namespace fgnn
