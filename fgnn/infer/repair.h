// From a forbidden assignment to an allowed one nearby.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/timing.h"
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
// A step costs what looking at the variables of one violated factor costs, and the logarithm of the
// number of factors. Past the deadline it returns what it has: the input, unless everything is
// allowed by then. Throws Error(model) when the assignment does not fit the graph.
Repair repair(const FactorGraph& graph, std::vector<State> assignment, std::uint64_t seed = 0,
              const Deadline& deadline = {});

}  // namespace fgnn
