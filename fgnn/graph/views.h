// What a potential can offer beside its score. A solver asks once, at set-up, for the view it works
// with and falls back to the table where the answer is null; a kind overrides what it can do.
//
//   view      asked for by                      answers
//   Stored    all                               how the numbers stand in memory, to be borrowed
//   Counting  all                               values by how many variables are in chosen states
//   MessageKernel  belief propagation, MPLP     all outgoing messages of the factor at once
//   Machine   exact elimination                 small steps whose sum or maximum is the potential
//   Oracle    AD3, feasibility (oracle.h)       the best joint state under scores of the variables
//   narrowed  AD3, branch and bound             states that cannot occur any more
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fgnn/core/types.h"

namespace fgnn {

class Counting;
class LowRank;
class MaxRankOne;
class Sparse;

// The forms in which the potential itself is stored: at most one is there. Alive as long as it is.
struct Stored {
  const std::vector<double>* table = nullptr;  // every joint state, last variable fastest
  const Counting* counting = nullptr;
  const LowRank* sum = nullptr;         // a sum of rank-1 terms
  const MaxRankOne* maximum = nullptr;  // a maximum of rank-1 terms
  const Sparse* listed = nullptr;       // listed joint states, and one value for all others
};

// log phi(x) = value( #{ j : x_j is chosen } ).
class Counting {
 public:
  // Which states count, in ascending order: one set for all positions or one per position.
  using Chosen = std::vector<std::vector<State>>;

  virtual ~Counting() = default;
  virtual const Chosen& chosen() const = 0;
  virtual bool is_chosen(std::size_t position, State x) const = 0;
  virtual double value(std::size_t count) const = 0;
  // All counts from this one on have the same value: a counter may saturate here.
  virtual std::size_t saturation() const = 0;
  // value(k) = value(k mod 2): a parity check, whose variables are binary.
  virtual bool is_parity() const { return false; }
};

// How a form that has several parts for one joint state adds them up.
enum class Reduction : std::uint8_t {
  sum,   // phi(x) is the sum of the parts
  max,   // phi(x) is the largest part
  each,  // phi(x) is the one part there is, so that the k best list no joint state twice
};

// The semirings of messages: linear numbers for `sum`, logarithms for the others.
enum class Semiring : std::uint8_t { sum, max, log_sum };

// out[s] = reduce over all x with slot s chosen of phi(x) prod_{j: not of s} in[slot of x_j], for
// all slots s at once. The slots of a scope are the states of its variables, one variable after
// another. One object serves several threads.
class MessageKernel {
 public:
  virtual ~MessageKernel() = default;
  virtual void run(Semiring semiring, const double* in, double* out, double* scratch) const = 0;
  virtual std::size_t scratch() const = 0;  // numbers
  virtual std::uint64_t steps() const = 0;  // simple ones of a run, about
  // Numbers of sums are of phi(x) / exp(log_scale()), those of maxima of phi(x).
  virtual double log_scale() const { return 0; }
};

// A potential as steps from variable to variable, so that elimination need not expand it:
//   phi(x) = reduce_z w(z) prod_i step_i(z, s_{i-1}, x_i, s_i),   s_{-1} = 0, no s_{n-1}.
// The mode z is one more variable (a star: the term of a sum), the states s_i are a chain (an
// automaton: the count so far); a kind has either or both. A step depends on a sum alone,
//   numbers[ mode(i, z) + before(i, s) + reads(i, x) + after(i, t) ],
// so one short list of numbers serves all positions: a count on n variables takes O(n) of them and
// not the O(n^3) of tables. Numbers are logarithms.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::uint32_t modes() const { return 0; }  // 0: no mode, and no weights
  // log w(z) is numbers[weight(z)].
  virtual std::size_t weight(std::uint32_t mode) const { return mode; }
  virtual std::size_t mode(std::size_t, std::uint32_t) const { return 0; }

  // After reading position i, which is not the last.
  virtual std::uint32_t states(std::size_t) const { return 1; }
  virtual std::size_t before(std::size_t, std::uint32_t) const { return 0; }
  virtual std::size_t reads(std::size_t i, State x) const = 0;
  // Not asked at the last position, whose numbers are the values of the potential.
  virtual std::size_t after(std::size_t, std::uint32_t) const { return 0; }
  // Whether before() and after() are the same at all positions but the last.
  virtual bool uniform() const { return true; }

  virtual std::size_t entries() const = 0;  // of numbers()
  virtual std::vector<double> numbers() const = 0;
};

// The states that are left to the variables of a factor, to be narrowed down.
class ScopeStates {
 public:
  virtual ~ScopeStates() = default;
  virtual std::size_t arity() const = 0;
  virtual const std::vector<State>& left(std::size_t position) const = 0;
  virtual void keep(std::size_t position, const std::function<bool(State)>& fits) = 0;
  // No joint state is allowed any more; keep() finds out itself when a variable has no state.
  virtual void contradict() = 0;
  virtual bool contradicted() const = 0;
  // Counts simple steps; throws Error(time_limit) once the time is over.
  virtual void spend(std::uint64_t steps) = 0;
};

}  // namespace fgnn
