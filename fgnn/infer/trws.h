// Sequential tree-reweighted message passing: the linear relaxation of MAP, by sweeps that never
// loosen its bound (TRW-S, Kolmogorov 2006; for factors of more than two variables SRMP, 2015).
// The equations are in costs/sweeps.h. Usually a few dozen passes come as near to the relaxation's
// optimum as MPLP's and AD3's hundreds.
//
// For factors whose tables are small, with those states left that are not ruled out at once;
// another is refused with Error(unsupported). Cost of a pass: two minimisations of every table per
// variable.
#pragma once

#include <cstdint>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct TrwsOptions {
  std::size_t iterations = 500;  // passes, each forwards and back
  double tolerance = 1e-6;       // stop when a pass lowers the bound by less (per variable)
  bool repair = true;            // make the rounded assignment an allowed one, and improve it
  std::uint64_t seed = 0;        // of the repair
  std::uint64_t max_bytes = std::uint64_t{8} << 30;
  double time_limit = kInfinity;
  Control control;

  void validate() const;  // throws Error(usage)
  bool operator==(const TrwsOptions&) const = default;
};

Fields fields(const TrwsOptions& options);

// Assignment with score, and a bound; status exact when they meet. Residuals are what each pass
// lowered the bound by.
Result trws(const FactorGraph& graph, const TrwsOptions& options = {},
            const Evidence& evidence = {});

}  // namespace fgnn
