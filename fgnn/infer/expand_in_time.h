// A factor as a table, where making that may take longer than there is time.
#pragma once

#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/potentials/table.h"

namespace fgnn {

// expand(graph, c); throws Error(time_limit) once the deadline has passed.
Table expand_in_time(const FactorGraph& graph, FactorId c, const Deadline& deadline);

}  // namespace fgnn
