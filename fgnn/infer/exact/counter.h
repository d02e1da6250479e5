// Structured potentials as small machines, so that elimination need not expand them.
//
// Automaton: reads the variables of the scope one after another and moves between a few states;
// the last state decides the value. Count, parity and all-different are automata.
// Star: phi(x) = reduce_z w(z) prod_j w_j(x_j, z), one extra variable z: non-negative low-rank
// under sums, max of rank-1 under maxima, listed configurations under both.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fgnn/graph/potential.h"
#include "fgnn/infer/exact.h"

namespace fgnn::exact {

struct Automaton {
  static constexpr std::uint32_t kDead = ~0u;
  std::vector<std::uint32_t> states;  // after reading position 0, 1, … n-2
  // The state after reading x at `position` in `state` (0 before the first); kDead: forbidden.
  std::function<std::uint32_t(std::size_t position, std::uint32_t state, State x)> next;
  // log phi once x has been read at the last position.
  std::function<double(std::uint32_t state, State x)> finish;
};

std::optional<Automaton> automaton(const Potential& potential, Shape shape);

struct Star {
  std::vector<double> log_weight;                // per z
  std::vector<std::vector<double>> log_weights;  // per variable: [x * size + z]
};

std::optional<Star> star(const Potential& potential, Shape shape, ExactTask task);

}  // namespace fgnn::exact
