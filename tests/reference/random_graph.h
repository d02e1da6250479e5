// Random factor graphs for the tests: every potential kind, mixed numbers of states, hard zeros.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn::testing {

// Kinds that random_potential() knows, as in Potential::kind().
const std::vector<std::string>& all_kinds();

// A potential of this kind that fits the shape; some entries forbidden. Parity needs a binary
// shape: asked for on another, it answers with a table.
std::shared_ptr<const Potential> random_potential(Rng& rng, const std::string& kind,
                                                  std::vector<State> shape, double largest = 2);

struct RandomGraphOptions {
  std::size_t min_variables = 1, max_variables = 7;
  State max_states = 3;
  std::size_t max_factors = 6, max_arity = 4;
  double largest = 2;    // finite log-values are between -largest and largest
  bool tree = false;     // connected without cycles
  bool binary = false;   // two states everywhere
  bool feasible = true;  // at least one assignment is allowed
  std::vector<std::string> kinds = all_kinds();
};

FactorGraph random_graph(Rng& rng, const RandomGraphOptions& options = {});

// A square grid of bits with couplings of both signs: wide, loopy, and hard for relaxations.
FactorGraph random_grid(Rng& rng, std::size_t side);

std::vector<State> random_assignment(Rng& rng, const FactorGraph& graph);

// The same graph with every potential expanded to a table.
FactorGraph with_tables(const FactorGraph& graph);

}  // namespace fgnn::testing
