// Ranges of the factors' scores, found once for factors that share a potential and a shape.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

class FactorRanges {
 public:
  explicit FactorRanges(const FactorGraph& graph) : graph_(graph), known_(graph.num_potentials()) {}

  ScoreRange operator()(FactorId c) {
    auto& known = known_[graph_.potential_index(c)];
    const auto scope = graph_.scope(c);
    const bool same = known && std::ranges::equal(known->shape, scope, {}, {},
                                                  [&](VariableId v) { return graph_.states(v); });
    if (!same) {
      known.emplace(Known{graph_.shape(c), {}});
      known->range = graph_.potential(c).range(known->shape);
    }
    return known->range;
  }

 private:
  struct Known {
    std::vector<State> shape;
    ScoreRange range;
  };
  const FactorGraph& graph_;
  std::vector<std::optional<Known>> known_;  // by potential: that of the last shape
};

}  // namespace fgnn
