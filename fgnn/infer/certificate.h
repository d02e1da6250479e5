// How good an assignment is, whoever found it: an upper bound from a relaxation, and the gap to it.
#pragma once

#include <string>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

struct Certificate {
  std::string method;
  double bound = kInfinity;  // no assignment scores higher
  double gap = kInfinity;    // bound - score; 0 where they meet to rounding
  bool proved = false;       // the gap is zero: the assignment is a best one
  double seconds = 0;
};

// Methods that give bounds, the first being the default.
const std::vector<std::string>& certificate_methods();

// `method` is mplp or ad3. Throws Error(usage) for others.
Certificate certify(const FactorGraph& graph, double score, const std::string& method,
                    const Evidence& evidence = {});

}  // namespace fgnn
