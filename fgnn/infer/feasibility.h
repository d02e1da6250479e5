// What can be said against a graph by looking at one variable or one factor at a time.
//
// Finding nothing does not prove that some assignment is allowed (that is as hard as MAP), but what
// is found is certain, names its place, and costs next to nothing: counts, parities, all-different
// and listed states are judged by their structure, only tables and low-rank sums by visiting their
// joint states.
#pragma once

#include <string>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

enum class Severity {
  note,        // worth knowing, harmless
  infeasible,  // every assignment of the graph is forbidden
  invalid,     // no potential at all: a low-rank sum that turns negative
};

struct Finding {
  Severity severity;
  std::string subject;  // a variable or a factor
  std::string message;
};

// In the order of the graph: variables first, then factors. Throws Error(time_limit) once the
// deadline has passed.
std::vector<Finding> local_findings(const FactorGraph& graph, const Deadline& deadline = {});

}  // namespace fgnn
