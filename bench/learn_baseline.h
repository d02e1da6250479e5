// The same networks in eager PyTorch, run by the scripts of python/.
#pragma once

#include <optional>
#include <string>

#include "bench/suite.h"

namespace fgnn::bench {

struct Eager {
  double per_second = 0;  // instances
  double bytes = 0;       // growth of peak memory
  std::string blas;       // which library multiplies, and with which kernels
  bool fair = false;      // whether that is OpenBLAS: others are many times slower
  int threads = 1;        // that it ran on
};

// Runs a script with its options on up to this many threads, for about so many seconds: on one and
// on all, of which the faster counts, for small operations may lose by threads. Throws
// Error(unsupported) where there is no PyTorch.
Eager eager(const std::string& script, int threads, double seconds);

// Makes the baseline of a row: none, and why, where it would not be fair.
void compare(Row& row, const Eager& baseline, double value);

}  // namespace fgnn::bench
