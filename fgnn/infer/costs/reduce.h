// Making a network of costs smaller before it is searched: tables go into tables that have all
// their variables, and variables with few neighbours are eliminated, which is exact.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/costs/functions.h"

namespace fgnn::costs {

struct ReduceOptions {
  // A variable is eliminated where the table with its neighbours has no more entries than this, and
  // what replaces its tables is over no more variables than the widest of them, or than `narrow`.
  std::uint64_t eliminate_up_to = std::uint64_t{1} << 12;
  std::size_t narrow = 2;
};

// How to find the state of an eliminated variable.
struct Eliminated {
  Id variable;
  std::vector<Id> around;           // ascending
  std::vector<std::uint32_t> best;  // its best state by joint state of `around`
};

void absorb(Functions& costs);

// In the order in which variables went. Throws Error(time_limit) and Error(too_large).
std::vector<Eliminated> eliminate(Functions& costs, Budget& budget, const ReduceOptions& options);

}  // namespace fgnn::costs
