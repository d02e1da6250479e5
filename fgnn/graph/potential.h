// What a factor graph knows of a potential: how it scores, whether it fits a scope, what it can do.
//
// The graph stores potentials behind this interface and knows no concrete kind; the kinds live in
// fgnn/potentials/. No solver asks for a kind either: it asks the potential for the view it works
// with (views.h), once, at set-up, and falls back to the expanded table where there is none. So a
// kind of a user's own is one class: score() is enough, each view more makes one solver faster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/types.h"
#include "fgnn/graph/views.h"

namespace fgnn {

class Oracle;
class TextWriter;
struct PotentialKind;  // text.h

// An interval that holds every finite score of something; low > high when there is none.
struct ScoreRange {
  double low = kInfinity, high = kForbidden;

  void include(double value) {
    if (value == kForbidden) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// The numbers of states of the variables of a scope, in scope order.
using Shape = std::span<const State>;

// Per position of a scope: the states that are left, ascending.
using Left = std::span<const std::vector<State>* const>;

// Number of joint states of a scope; saturates at the largest integer instead of overflowing.
std::uint64_t configurations(Shape shape);

// Steps x to the next joint state in table order (last variable fastest); false after the last.
bool next_configuration(Shape shape, std::span<State> x);

class Potential {
 public:
  virtual ~Potential() = default;

  // "table", "parity", … as in the text format and in `fgnn list potentials`.
  virtual std::string_view kind() const = 0;

  // Empty when the potential can sit on a scope of this shape; otherwise the reason why not.
  virtual std::string misfit(Shape shape) const = 0;

  // log phi(x); x has one state per variable of the scope, in range (not checked here).
  virtual double score(std::span<const State> x) const = 0;

  // Writes log phi of every joint state, last variable fastest. `out` has configurations(shape)
  // entries. The default scores one state at a time; kinds override it where that is slow.
  virtual void fill(Shape shape, std::span<double> out) const;

  // Whether fill() takes about as long as the table is long, and not a score() for every entry.
  virtual bool fills_fast() const { return false; }

  // Holds log phi of every joint state that is allowed; need not be tight. The default knows
  // nothing: from minus to plus infinity.
  virtual ScoreRange range(Shape shape) const;

  // Same kind and same parameters, number for number.
  virtual bool equals(const Potential& other) const = 0;

  // Memory held by the parameters.
  virtual std::size_t bytes() const = 0;

  // Writes what stands behind the colon of a factor in the text format, from the kind's word on;
  // false, and nothing written, when there is no word for it (fgnn/potentials/text.h).
  virtual bool write(TextWriter&) const { return false; }

  // ---- Views: empty or null where the potential has no such form. ----

  virtual Stored stored() const { return {}; }

  // An exact sum of rank-1 terms equal to this potential on this shape, or null where none of
  // reasonable size or precision exists. docs/algorithms.md lists the ranks.
  virtual std::shared_ptr<const LowRank> low_rank(Shape shape) const;
  // The same as a maximum of rank-1 terms in the log domain.
  virtual std::shared_ptr<const MaxRankOne> max_rank_one(Shape shape) const;

  // Of phi^(1 / temperature), for sums (Semiring::sum and log_sum) or for maxima.
  virtual std::unique_ptr<MessageKernel> messages(Shape shape, Reduction reduction,
                                                  double temperature) const;

  // On at least two variables. Refers to the potential, as does the oracle.
  virtual std::unique_ptr<Machine> machine(Shape shape, Reduction reduction) const;

  virtual std::unique_ptr<Oracle> oracle(Left left) const;

  // Removes states that no allowed joint state of those left contains, where that is easy to see.
  virtual void narrow(ScopeStates&) const {}
};

}  // namespace fgnn
