// Arithmetic on logarithms in which minus infinity is an ordinary value.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "fgnn/core/types.h"

namespace fgnn {

// log(exp(a) + exp(b)); forbidden + forbidden is forbidden, never NaN.
inline double log_add(double a, double b) {
  const double high = std::max(a, b);
  if (high == kForbidden) return kForbidden;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

// log sum_i exp(values[i]); the empty sum is forbidden.
inline double log_sum_exp(std::span<const double> values) {
  double high = kForbidden;
  for (double v : values) high = std::max(high, v);
  if (high == kForbidden || high == kInfinity) return high;
  double sum = 0;
  for (double v : values) sum += std::exp(v - high);
  return high + std::log(sum);
}

// Turns log-values into probabilities in place and returns the log of their sum. All forbidden:
// leaves zeros and returns minus infinity.
inline double normalize_exp(std::span<double> values) {
  const double total = log_sum_exp(values);
  for (double& v : values) v = total == kForbidden ? 0.0 : std::exp(v - total);
  return total;
}

}  // namespace fgnn
