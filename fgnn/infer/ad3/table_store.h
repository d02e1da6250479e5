// Tables of the potentials that must be expanded, each made once: factors that share a potential
// share its table, and the nodes of a branch and bound make no new ones.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/expand_in_time.h"

namespace fgnn::admm {

class TableStore {
 public:
  // Making tables throws Error(time_limit) once the deadline has passed.
  explicit TableStore(const Deadline& deadline = {}) : deadline_(deadline) {}
  const Deadline& deadline() const { return deadline_; }

  // All entries of factor c's potential, last variable fastest; alive as long as graph and store.
  std::span<const double> values(const FactorGraph& graph, FactorId c) {
    if (const auto* table = dynamic_cast<const Table*>(&graph.potential(c))) return table->values();
    std::vector<State> shape = graph.shape(c);
    auto& made = made_[{graph.potential_index(c), shape}];
    if (!made) made = std::make_unique<Table>(expand_in_time(graph, c, deadline_));
    return made->values();
  }

 private:
  Deadline deadline_;
  std::map<std::pair<std::uint32_t, std::vector<State>>, std::unique_ptr<Table>> made_;
};

}  // namespace fgnn::admm
