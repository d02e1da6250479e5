// Gradients against finite differences.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "fgnn/core/random.h"

namespace fgnn::testing {

struct Difference {
  double slope, left, right;  // central and one-sided

  // At a kink the sides disagree; curvature alone moves them apart by about the step.
  bool smooth(double tolerance) const { return std::abs(left - right) <= tolerance; }
};

// Of `value` by a number that `move(d)` adds d to.
inline Difference difference(const std::function<void(double)>& move,
                             const std::function<double()>& value, double step = 1e-5) {
  const double here = value();
  move(step);
  const double above = value();
  move(-2 * step);
  const double below = value();
  move(step);
  return {(above - below) / (2 * step), (here - below) / step, (above - here) / step};
}

// Checks `gradient` at `most` entries of x (drawn where there are more), of which at most a fifth
// may be at kinks.
inline void expect_gradient(std::vector<double>& x, const std::vector<double>& gradient,
                            const std::function<double()>& value, const char* of, Rng& rng,
                            std::size_t most = 24, double tolerance = 1e-6) {
  ASSERT_EQ(x.size(), gradient.size()) << of;
  const std::size_t n = std::min(most, x.size());
  std::size_t checked = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = n == x.size() ? k : static_cast<std::size_t>(rng.below(x.size()));
    const double kept = x[i];
    const auto d = difference([&](double by) { x[i] += by; }, value);
    x[i] = kept;
    if (!d.smooth(1e-3 * std::max(1.0, std::abs(d.slope)))) continue;
    ++checked;
    EXPECT_NEAR(gradient[i], d.slope, tolerance * std::max(1.0, std::abs(d.slope)))
        << "entry " << i << " of " << of;
  }
  EXPECT_GE(5 * checked, 4 * n) << of;
}

}  // namespace fgnn::testing
