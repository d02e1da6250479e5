// From a forbidden assignment to an allowed one nearby.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

struct Repair {
  std::vector<State> assignment;
  double score = kForbidden;
  bool feasible = false;
  std::size_t changes = 0;  // variables that differ from the input
};

// Local search: as long as something is forbidden, changes the variable that reduces the violation
// most at the least loss of score (counting factors measure how far the count is from an allowed
// one; all others are violated or not); then climbs by single changes that keep everything allowed.
// An allowed input is only improved. Steps are limited to a few per variable: cheap, no guarantee.
Repair repair(const FactorGraph& graph, std::vector<State> assignment, std::uint64_t seed = 0);

}  // namespace fgnn
