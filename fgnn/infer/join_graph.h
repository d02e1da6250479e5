// Iterative join-graph propagation (Dechter, Kask and Mateescu 2002; Mateescu et al. 2010).
//
// The mini-buckets of an elimination order are clusters; each is joined to the one that takes its
// message, over all its variables but the first, and mini-buckets of one variable are joined in a
// row over that variable. So the clusters of every variable hang together as a tree. Sum-product on
// them,
//   m_{a->b}(S) = log sum_{a \ S} exp( psi_a + sum_{arcs to a but b's} m ),
// is generalised belief propagation: exact where nothing was split, belief propagation in the
// spirit of Bethe where clusters are small, and in between the more exact the larger they are.
//   ln Z ~ sum_a ln sum exp(belief_a) - sum_{arcs} ln sum_S exp(m_{a->b} + m_{b->a}).
// Cost per iteration: clusters x 2^ibound joint states, times the arcs of a cluster.
#pragma once

#include <cstdint>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct JoinGraphOptions {
  std::size_t ibound = 10;       // log2 of the joint states of the largest cluster
  std::size_t iterations = 100;  // up and down once each
  double damping = 0;       // share of the old message that is kept, where clusters have cycles
  double tolerance = 1e-6;  // stop when no message changes by more
  int orders = 8;           // of elimination, of which the cheapest is taken
  std::uint64_t seed = 0;
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // Error(too_large) above
  double time_limit = kInfinity;
  Control control;

  void validate() const;  // throws Error(usage)
  bool operator==(const JoinGraphOptions&) const = default;
};

Fields fields(const JoinGraphOptions& options);

// Marginals and an estimate of ln Z; status exact where nothing was split.
Result join_graph(const FactorGraph& graph, const JoinGraphOptions& options = {},
                  const Evidence& evidence = {});

}  // namespace fgnn
