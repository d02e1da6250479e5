// Forests that cover all factors of a graph: sets of factors without cycles, drawn so that factors
// which few forests have so far come first.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// A factor with the edge towards the root of its tree.
struct Branch {
  FactorId factor;
  EdgeId up;
};

struct Forest {
  std::vector<Branch> branches;   // leaves first: a factor after all that lie below it
  std::vector<VariableId> roots;  // one variable of each tree
};

struct Forests {
  std::vector<Forest> all;
  std::vector<double> share;  // per factor: of the forests that contain it; above 0
};

// One forest where the graph has no cycles. Factors on one variable are in all of them.
Forests cover(const FactorGraph& graph, std::uint64_t seed, Budget& budget);

}  // namespace fgnn
