// Random factor graphs in which nothing is forbidden.
#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/table.h"

namespace fgnn::testing {

struct FiniteGraphOptions {
  std::size_t variables = 6, factors = 6, max_arity = 3;
  State max_states = 3;
  bool whole = false;  // whole numbers, many of which are the same
  double scale = 1;
};

// Tables on scopes drawn at random, and unary potentials.
inline FactorGraph finite_graph(Rng& rng, const FiniteGraphOptions& o = {}) {
  const auto values = [&](std::size_t n) {
    std::vector<double> v(n);
    for (double& x : v) {
      x = o.scale * (o.whole ? static_cast<double>(rng.below(5)) - 2 : rng.normal());
    }
    return v;
  };
  GraphBuilder b;
  for (std::size_t v = 0; v < o.variables; ++v) {
    const auto states = static_cast<State>(1 + rng.below(o.max_states));
    b.unary(b.variable("v" + std::to_string(v), states), values(states));
  }
  for (std::size_t c = 0; c < o.factors; ++c) {
    std::vector<VariableId> scope(o.variables);
    std::iota(scope.begin(), scope.end(), VariableId{0});
    rng.shuffle(scope);
    scope.resize(1 + rng.below(std::min(o.max_arity, o.variables)));
    std::vector<State> shape;
    for (const VariableId v : scope) shape.push_back(b.states(v));
    auto table = values(configurations(shape));
    b.factor(std::span<const VariableId>(scope), Table(shape, std::move(table)));
  }
  return std::move(b).build();
}

}  // namespace fgnn::testing
