// How far apart two lists of numbers are.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <span>

namespace fgnn::testing {

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    most = d <= most ? most : d;  // a NaN counts
  }
  return most;
}

}  // namespace fgnn::testing
