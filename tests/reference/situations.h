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
  // Every method must see that nothing is allowed: one variable or factor after another shows it.
  bool plainly_infeasible = false;
};

std::vector<Situation> situations();

}  // namespace fgnn::testing
