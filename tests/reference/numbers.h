// Vectors of random numbers, and comparisons of vectors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "fgnn/core/random.h"

namespace fgnn::testing {

template <class T>
std::vector<T> normal_numbers(Rng& rng, std::size_t n, double scale = 1) {
  std::vector<T> numbers(n);
  for (T& x : numbers) x = static_cast<T>(scale * rng.normal());
  return numbers;
}

// Says where the first difference is. The tolerance is relative to numbers above 1.
template <class A, class B>
::testing::AssertionResult same_numbers(const A& got, const B& want, double tolerance) {
  if (got.size() != want.size()) {
    return ::testing::AssertionFailure() << got.size() << " numbers, not " << want.size();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double a = got[i], b = want[i];
    if (a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))) continue;
    return ::testing::AssertionFailure() << "number " << i << " is " << a << ", not " << b;
  }
  return ::testing::AssertionSuccess();
}

template <class T, class U>
double dot(const std::vector<T>& a, const std::vector<U>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

}  // namespace fgnn::testing
