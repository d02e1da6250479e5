// Networks of costs of random graphs, with what the tests of searches on them ask.
#pragma once

#include <vector>

#include "fgnn/infer/costs/network.h"
#include "tests/reference/random_graph.h"

namespace fgnn::costs {

inline Network network_of(const FactorGraph& graph, const NetworkOptions& options = {}) {
  Budget budget("test");
  return Network(graph, find_domains(graph, true), budget, options);
}

// None is eliminated.
inline NetworkOptions as_it_is() { return {.reduce = {.eliminate_up_to = 0}}; }

// Of one joint state of the network, by its tables.
inline double cost_of(const Network& network, const std::vector<std::uint32_t>& states) {
  double sum = network.base();
  for (Id v = 0; v < network.size(); ++v) {
    if (!network.unary(v).empty()) sum += network.unary(v)[states[v]];
  }
  for (const Function& f : network.functions()) {
    std::size_t at = 0;
    for (Id v : f.scope) at = at * network.unary(v).size() + states[v];
    sum += f.values[at];
  }
  return sum;
}

// Calls visit(states) for every joint state of the variables that are not eliminated.
template <class Visit>
void for_each_joint_state(const Network& network, Visit visit) {
  std::vector<State> sizes, states(network.size(), 0);
  for (Id v = 0; v < network.size(); ++v) {
    sizes.push_back(static_cast<State>(std::max<std::size_t>(1, network.unary(v).size())));
  }
  do {
    visit(states);
  } while (next_configuration(sizes, states));
}

inline FactorGraph random_loopy_graph(Rng& rng, bool feasible = true) {
  return testing::random_graph(rng, {.min_variables = 4,
                                     .max_variables = 9,
                                     .max_factors = 14,
                                     .max_arity = 4,
                                     .feasible = feasible});
}

}  // namespace fgnn::costs
