// Tables of the potentials that must be expanded, each made once: factors that share a potential
// share its table, and the nodes of a branch and bound make no new ones. Every solver that needs a
// table gets it here.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/potentials/table.h"

namespace fgnn {

// expand(graph, c); throws Error(time_limit) once the deadline has passed.
Table expand_in_time(const FactorGraph& graph, FactorId c, const Deadline& deadline);

class TableStore {
 public:
  // Making tables throws Error(time_limit) once the deadline has passed.
  explicit TableStore(const Deadline& deadline = {}) : deadline_(deadline) {}
  const Deadline& deadline() const { return deadline_; }

  // All entries of factor c's potential, last variable fastest: borrowed where it is stored so,
  // otherwise made, unless that throws Error(too_large). Alive as long as graph and store.
  std::span<const double> values(const FactorGraph& graph, FactorId c);

 private:
  Deadline deadline_;
  std::map<std::pair<std::uint32_t, std::vector<State>>, Table> made_;
};

}  // namespace fgnn
