#include "fgnn/neuralize/fingerprint.h"

#include <cstdint>
#include <vector>

#include "fgnn/core/fingerprint.h"

namespace fgnn::neuralize {

std::string fingerprint(const FactorGraph& graph) {
  Fingerprint f;
  for (const State s : graph.states()) f.add(std::uint64_t{s});
  std::vector<bool> seen(graph.num_potentials());
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    f.add(std::uint64_t{graph.arity(c)});
    for (const VariableId v : graph.scope(c)) f.add(std::uint64_t{v});
    f.add(std::uint64_t{graph.potential_index(c)});
    if (seen[graph.potential_index(c)]) continue;
    seen[graph.potential_index(c)] = true;
    // Kinds without their parameters are told apart by how they score some joint states.
    const auto shape = graph.shape(c);
    std::vector<State> x(shape.size(), 0);
    for (int k = 0; k < 4096; ++k) {
      f.add(graph.potential(c).score(x));
      if (!next_configuration(shape, x)) break;
    }
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = shape[j] - 1;
    for (std::size_t j = 0; j < x.size(); ++j) {
      f.add(graph.potential(c).score(x));
      x[j] = 0;
    }
  }
  return f.text();
}

}  // namespace fgnn::neuralize
