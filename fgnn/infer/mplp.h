// MPLP: block coordinate descent on the dual of the LP relaxation of MAP (Globerson and Jaakkola
// 2007; Sontag et al. 2008 for clusters).
//
// The dual has messages delta_{c->i}; its value bounds every assignment from above:
//   L = sum_i max_x [ theta_i(x) + sum_c delta_{ci}(x) ] + sum_c max_x [ theta_c(x) - sum_i
//   delta_{ci}(x_i) ].
// A factor of k variables is optimised exactly, all its messages at once, by sharing its
// max-marginals equally: with n_i = b_i - delta_{ci} and M_i(x_i) = max_{x_c \ x_i} [ theta_c +
// sum_j n_j ],
//   delta_{ci} <- M_i / k - n_i,      b_i <- M_i / k,
// after which the factor's own term is zero. L never rises. Cost per factor: that of its
// max-product update, for every kind of potential.
//
// Clusters: where the relaxation is not tight, joining factors into one makes it tighter. Those
// whose join lowers the bound most, which the present messages tell, are joined.
#pragma once

#include <cstdint>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct MplpOptions {
  std::size_t iterations = 1000;  // passes over all factors
  double tolerance = 1e-6;        // stop when a pass lowers the bound by less (per variable)
  std::size_t clusters = 0;       // joins of factors to tighten the relaxation; small graphs only
  std::uint64_t max_cluster = 1 << 14;  // entries of a joint table
  bool repair = true;                   // make the rounded assignment allowed (false: plain argmax)
  std::uint64_t seed = 0;               // of the repair
  double time_limit = kInfinity;
  Control control;  // who looks on, and may ask to stop

  void validate() const;  // throws Error(usage)
  bool operator==(const MplpOptions&) const = default;
};

Fields fields(const MplpOptions& options);

// Assignment with score, and the dual value as bound; status exact when they meet.
Result mplp(const FactorGraph& graph, const MplpOptions& options = {},
            const Evidence& evidence = {});

}  // namespace fgnn
