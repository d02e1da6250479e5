// A mean that may be of nothing, with its standard error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace fgnn {

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }
  void add(const Mean& other) {
    sum_ += other.sum_;
    squares_ += other.squares_;
    count_ += other.count_;
  }
  std::size_t count() const { return count_; }
  std::optional<double> value() const {
    return count_ ? std::optional(sum_ / static_cast<double>(count_)) : std::nullopt;
  }
  // Standard error; none of a single value.
  std::optional<double> error() const {
    if (count_ < 2) return std::nullopt;
    const auto n = static_cast<double>(count_);
    return std::sqrt(std::max(0.0, squares_ / n - sum_ * sum_ / n / n) / (n - 1));
  }

 private:
  double sum_ = 0, squares_ = 0;
  std::size_t count_ = 0;
};

}  // namespace fgnn
