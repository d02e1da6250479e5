// How good an assignment is, whoever found it: an upper bound from a relaxation, and the gap to it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/method_options.h"

namespace fgnn {

struct Certificate {
  std::string method;
  double bound = kInfinity;  // no assignment scores higher; minus infinity: all are forbidden
  double gap = kInfinity;    // bound - score; 0 where they meet to rounding
  bool proved = false;       // the gap is zero: the assignment is a best one
  double seconds = 0;

  bool infeasible() const { return bound == kForbidden; }
};

// Methods that give bounds, the first being the default.
const std::vector<std::string>& certificate_methods();

// Judges an assignment of the graph given the evidence; an empty one, of a method that found none,
// has no gap. `method` is mplp or ad3, run within the limits (time, threads, seed) of `limits`.
// Throws Error(usage) for other methods, Error(model) for an assignment that does not fit, and
// Error(internal) for one above the bound.
Certificate certify(const FactorGraph& graph, std::span<const State> assignment,
                    const std::string& method, const Evidence& evidence = {},
                    const MethodLimits& limits = {});

}  // namespace fgnn
