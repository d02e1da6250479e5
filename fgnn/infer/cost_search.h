// MAP by branch and bound with soft arc consistency: the graph is restated as costs in small tables
// (costs/network.h), its relaxation brought near its optimum by sweeps (costs/sweeps.h), and what
// is left is searched, best first and depth first by turns (costs/search.h), with costs moved at
// every node until the bound stands still (costs/propagation.h).
//
// Made for graphs whose factors have few variables or few joint states left; one with a larger
// table is refused with Error(unsupported). Exponential in the worst case; memory is that of the
// tables and of the open nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/incumbent.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct CostSearchOptions {
  double gap = 1e-7;         // nothing scores higher than the answer by more
  std::size_t sweeps = 100;  // before the search; it ends them earlier when they gain little
  std::uint64_t nodes = ~std::uint64_t{0};
  std::uint64_t max_bytes = std::uint64_t{8} << 30;
  double time_limit = kInfinity;
  std::uint64_t seed = 0;  // of the repair of the first answer
  Control control;

  void validate() const;  // throws Error(usage)
  bool operator==(const CostSearchOptions&) const = default;
};

Fields fields(const CostSearchOptions& options);

// Status exact: proved. Status time_limit, interrupted or iteration_limit (nodes): the best answer
// found, if any, and a bound. Status infeasible: proved. The trace tells when which answer and
// bound were there. `shared` is a best answer that others improve at the same time.
Result cost_search(const FactorGraph& graph, const CostSearchOptions& options = {},
                   const Evidence& evidence = {}, Incumbent* shared = nullptr);

}  // namespace fgnn
