// Random tables for the tests.
#pragma once

#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/potentials/table.h"

namespace fgnn::testing {

inline std::vector<State> random_shape(Rng& rng, std::size_t max_arity, State max_states) {
  std::vector<State> shape(1 + rng.below(max_arity));
  for (State& s : shape) s = static_cast<State>(1 + rng.below(max_states));
  return shape;
}

// Log-values are normal; each is forbidden with this probability.
inline Table random_table(Rng& rng, std::vector<State> shape, double forbidden = 0) {
  std::vector<double> values(configurations(shape));
  for (double& v : values) v = rng.uniform() < forbidden ? kForbidden : rng.normal();
  return {std::move(shape), std::move(values)};
}

}  // namespace fgnn::testing
