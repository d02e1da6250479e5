// Structured potentials as small machines, so that elimination need not expand them.
//
// Automaton: reads the variables of the scope one after another and moves between a few states; the
// last decides the value. Count, parity and all-different are automata. A step is a table over
// (state s before, x, state t after) that depends on a sum alone,
//   numbers[ before(i, s) + reads(i, x) + after(i, t) ],
// 0 where the machine moves so and forbidden elsewhere. So one short list of numbers serves all
// positions: a count on n variables takes O(n) of them and not the O(n^3) of tables.
//
// Star: phi(x) = reduce_z w(z) prod_j w_j(x_j, z), one extra variable z: non-negative low-rank
// under sums, max of rank-1 under maxima, listed configurations under both.
#pragma once

#include <memory>
#include <vector>

#include "fgnn/graph/potential.h"
#include "fgnn/infer/exact.h"

namespace fgnn::exact {

class Automaton {
 public:
  virtual ~Automaton() = default;
  // After reading position i, which is not the last. Before the first it is in state 0.
  virtual std::uint32_t states(std::size_t i) const = 0;
  virtual std::size_t before(std::size_t i, std::uint32_t state) const = 0;
  virtual std::size_t reads(std::size_t i, State x) const = 0;
  // Not asked at the last position, whose numbers are the values of the potential.
  virtual std::size_t after(std::size_t i, std::uint32_t state) const = 0;

  // Whether before() and after() are the same at all positions but the last.
  virtual bool uniform() const { return true; }

  virtual std::size_t entries() const = 0;  // of numbers()
  virtual std::vector<double> numbers() const = 0;
};

bool has_automaton(const Potential& potential, Shape shape);
// Null where there is none. Refers to the potential.
std::unique_ptr<Automaton> automaton(const Potential& potential, Shape shape);

bool has_star(const Potential& potential, Shape shape, ExactTask task);
// States of z, where there is a star.
std::size_t star_size(const Potential& potential);
// log w(z) for all z, then for each variable its weights: [x * size + z].
std::vector<double> star_numbers(const Potential& potential);

}  // namespace fgnn::exact
