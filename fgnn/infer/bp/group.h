// Factors of one kind and shape, laid out for the kernels.
//
// A factor's slots are the states of its variables, one variable after another. The messages of a
// group stand in one array, in either of two layouts:
//   lanes:  tiles of a few factors next to each other, slot by slot — small factors, one SIMD lane
//           per factor, and a block of lanes finds all it needs in one stretch of memory;
//   single: factor by factor, slots next to each other — large factors, SIMD inside the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn::bp {

enum class Kernel : std::uint8_t {
  small_table,  // lanes, as are the next two
  small_count,
  small_parity,
  table,  // single, as are the rest
  count,  // parity too: a count modulo two
  low_rank,
  max_rank_one,
  own,  // the potential brings its kernel along
};

enum class Algebra : std::uint8_t {
  sum,      // linear domain: products and sums
  max,      // log domain: sums and maxima
  log_sum,  // log domain: sums and log-sum-exp; the safe twin of `sum`
};

template <class T>
struct Group {
  Kernel kernel = Kernel::table;
  Algebra algebra = Algebra::sum;
  std::vector<State> shape;
  std::vector<std::uint32_t> slot;  // first slot of each variable; arity + 1 entries
  std::vector<FactorId> factors;
  std::size_t messages = 0;  // where the group's messages start
  std::uint64_t steps = 1;   // simple ones of updating one factor, about

  // Where the beliefs of each variable start: [position * factors + f] in lanes, else
  // [f * arity + position].
  std::vector<std::uint32_t> variable;

  // The potentials, in the linear domain for Algebra::sum and in the log domain otherwise.
  //   small_table: entry e of factor f at [number_at(e, f)]: tiles of kTile factors, so that a
  //   block
  //                of lanes reads its tables from one stretch of memory; one copy if all share it
  //   small_count: the same with the count for the entry
  //   table:        entries of factor f from [start[f]]
  //   count:        values by count from [start[f]]
  //   low_rank, max_rank_one: slot s, term r of factor f at [start[f] + s * terms + r]; lambda is
  //                 multiplied into the first variable's slots, and powers of two that all terms
  //                 share are in log_scale
  std::vector<T> numbers;
  bool shared = false;
  std::size_t entries = 0;  // small_table, small_count: numbers of one factor
  std::vector<std::size_t> start;
  std::vector<double> log_scale;     // per factor: numbers are potential / exp(log_scale)
  std::size_t counts = 0;            // (small_)count: states of the counter
  bool modulo = false;               // count: the counter is modulo two
  std::vector<std::uint8_t> chosen;  // (small_)count: per slot
  bool odd = false;                  // small_parity
  // low_rank: some terms are negative. Those have no logarithms and may cancel beyond the precision
  // of a number; where that happens, small factors are redone from the logarithms of their tables,
  // factor f from [twin_start[f]] (empty for larger ones).
  bool signed_terms = false;
  std::vector<T> twin;
  std::vector<std::size_t> twin_start;
  std::size_t terms = 0;  // low_rank, max_rank_one
  // own: the kernel of factor f is [start[f]]; `support` keeps only whether its numbers are finite.
  std::vector<std::shared_ptr<const MessageKernel>> own;
  bool support = false;

  static constexpr std::size_t kTile = 64 / sizeof(T);  // a multiple of every vector's lanes
  std::size_t number_at(std::size_t e, std::size_t f) const {
    return shared ? e : (f / kTile * entries + e) * kTile + f % kTile;
  }

  bool lanes() const { return kernel <= Kernel::small_parity; }
  std::size_t size() const { return factors.size(); }
  std::size_t width() const { return slot.back(); }
  std::size_t arity() const { return shape.size(); }
  std::size_t at(std::size_t f, std::size_t s) const {
    return messages + (lanes() ? (f / kTile * width() + s) * kTile + f % kTile : f * width() + s);
  }
  std::size_t slot_stride() const { return lanes() ? kTile : 1; }
  std::size_t message_count() const {
    return width() * (lanes() ? (size() + kTile - 1) / kTile * kTile : size());
  }
};

// Groups for Algebra::sum or ::max; every factor is in exactly one. Potentials are divided by the
// temperature. Throws Error(too_large) for potentials that have neither a kernel in this algebra
// nor a table of reasonable size. `support` (Algebra::max) keeps only what is allowed and what is
// not: every finite potential becomes 0. Throws Error(time_limit) when tables cannot be made before
// the deadline.
template <class T>
std::vector<Group<T>> make_groups(const FactorGraph& graph, Algebra algebra, double temperature,
                                  const Deadline& deadline = {}, bool support = false);

}  // namespace fgnn::bp
