// Tree-reweighted belief propagation (Wainwright, Jaakkola and Willsky 2005): an upper bound of ln
// Z.
//
// Forests T of factors without cycles, of equal weight, cover every factor; rho_c is the share of
// forests that contain c. For any messages m,
//   theta = mean over T of theta^T,    theta^T = sum_i b_i + sum_{c in T} (theta_c / rho_c - sum_i
//   m_{ci}), b_i = theta_i + sum_c rho_c m_{ci},
// and ln Z is convex, so
//   ln Z(theta) <= mean over T of ln Z(theta^T),
// where each forest is summed exactly. That holds for factors of any number of variables and for
// all messages; those that make the bound least are fixed points of
//   m_{ci}(x_i) <- log sum_{x_c \ x_i} exp( theta_c / rho_c + sum_{j != i} (b_j - m_{cj}) ),
// at which b are the marginals of all forests. So the bound is stated before convergence too, and
// the least that was seen is kept. On a graph without cycles it is ln Z.
#pragma once

#include <cstdint>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct TreeReweightedOptions {
  std::size_t iterations = 200;                      // passes over all factors
  double damping = 0;                                // share of the old message that is kept
  double tolerance = 1e-6;                           // stop when no message changes by more
  std::uint64_t seed = 0;                            // of the forests
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // Error(too_large) above
  double time_limit = kInfinity;
  Control control;

  void validate() const;  // throws Error(usage)
  bool operator==(const TreeReweightedOptions&) const = default;
};

Fields fields(const TreeReweightedOptions& options);

// Marginals and an upper bound of ln Z, which is also the estimate.
Result tree_reweighted(const FactorGraph& graph, const TreeReweightedOptions& options = {},
                       const Evidence& evidence = {});

}  // namespace fgnn
