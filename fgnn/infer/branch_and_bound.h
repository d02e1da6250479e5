// Exact MAP by branch and bound, with the AD3 relaxation (ad3.h) for bounds and for answers.
//
// A node is a set of states left to every variable. Its relaxation is solved starting from its
// parent's multipliers; the rounded and repaired solution may become the incumbent. The variable
// whose relaxed solution is least decided is split: its most likely state against all others. Nodes
// that cannot beat the incumbent by more than the gap are dropped. There is no limit of depth:
// where the relaxation looks decided but is not tight, splitting goes on until all variables are
// decided, and then the bound is the score itself.
//
// Nodes are taken best bound first. That visits the fewest nodes for the given splits, and the
// bound of the whole only falls, so a stopped run tells how far from the optimum its answer can be.
// What depth first is usually chosen for, early incumbents, repair gives at every node already.
// Memory: one copy of the multipliers per open pair of nodes.
#pragma once

#include <cstddef>
#include <limits>

#include "fgnn/infer/ad3.h"

namespace fgnn {

struct BranchOptions {
  Ad3Options ad3;  // of the root; its time limit and control are not used
  // Of every other node, which starts where its parent ended. More give better bounds and fewer
  // nodes.
  std::size_t node_iterations = 40;
  double gap = 1e-6;              // of the score, absolute: good enough for a proof
  double time_limit = kInfinity;  // seconds, for everything
  Control control;                // who looks on, and may ask to stop
  std::size_t nodes = std::numeric_limits<std::size_t>::max();  // most to be solved

  void validate() const;  // throws Error(usage)
  bool operator==(const BranchOptions&) const = default;
};

Fields fields(const BranchOptions& options);

// Status exact: no assignment scores more than result.score + gap. Status time_limit, or
// iteration_limit when the nodes were used up: the best assignment found, if any, and a bound.
// Status infeasible: proved. result.iterations counts the iterations of all nodes. An allowed
// assignment to `start` with rules out what cannot beat it.
Result ad3_exact(const FactorGraph& graph, const BranchOptions& options = {},
                 const Evidence& evidence = {}, std::vector<State> start = {});

}  // namespace fgnn
