// The situations in which every method must be right: what users bring, and what goes wrong.
#pragma once

#include <string>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn::testing {

struct Situation {
  std::string name;
  FactorGraph graph;
  Evidence evidence;
};

std::vector<Situation> situations();

}  // namespace fgnn::testing
