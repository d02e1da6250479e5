// Mean field: a lower bound of ln Z by independent variables (Jordan, Ghahramani, Jaakkola, Saul
// 1999).
//
// For every q(x) = prod_i q_i(x_i), since a relative entropy is not negative,
//   ln Z >= L(q) = sum_i <q_i, theta_i> + sum_c E_q[theta_c] + sum_i H(q_i) + constant.
// Coordinate ascent: q_i is replaced by the best given the others,
//   q_i(x) ~ exp( theta_i(x) + sum_c E_q[ theta_c | x_i = x ] ),
// which never lowers L. It ends at a local optimum; several starts are tried and the best is kept.
//
// A forbidden joint state with any share makes L minus infinity. The first start is soft where that
// goes well; otherwise, and for all others, it is an assignment that repair has made allowed, from
// where only states are taken up that no forbidden joint state meets. Without such an assignment
// there is no bound. Cost per pass: for every edge, the joint states of its factor.
#pragma once

#include <cstdint>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct MeanFieldOptions {
  std::size_t iterations = 200;  // most passes over the variables from one start
  std::size_t restarts = 10;     // starting points
  double tolerance = 1e-7;       // stop when a pass raises the bound by less
  std::uint64_t seed = 0;
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // Error(too_large) above
  double time_limit = kInfinity;
  Control control;

  void validate() const;  // throws Error(usage)
  bool operator==(const MeanFieldOptions&) const = default;
};

Fields fields(const MeanFieldOptions& options);

// The q of the best start as marginals, its L as lower bound of ln Z and as estimate.
Result mean_field(const FactorGraph& graph, const MeanFieldOptions& options = {},
                  const Evidence& evidence = {});

}  // namespace fgnn
