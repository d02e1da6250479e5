// The semirings of messages on single numbers, for kernels that the kinds bring along.
#pragma once

#include <algorithm>

#include "fgnn/core/log_math.h"
#include "fgnn/core/types.h"
#include "fgnn/graph/views.h"

namespace fgnn {

struct SumOfProducts {
  static constexpr double zero = 0, one = 1;
  static double plus(double a, double b) { return a + b; }
  static double times(double a, double b) { return a * b; }
};

struct MaxOfSums {
  static constexpr double zero = kForbidden, one = 0;
  static double plus(double a, double b) { return std::max(a, b); }
  static double times(double a, double b) { return a + b; }
};

struct LogSumOfSums {
  static constexpr double zero = kForbidden, one = 0;
  static double plus(double a, double b) { return log_add(a, b); }
  static double times(double a, double b) { return a + b; }
};

// Calls body with the semiring's operations.
template <class Body>
void with_semiring(Semiring semiring, Body body) {
  switch (semiring) {
    case Semiring::sum:
      return body(SumOfProducts{});
    case Semiring::max:
      return body(MaxOfSums{});
    case Semiring::log_sum:
      return body(LogSumOfSums{});
  }
}

}  // namespace fgnn
