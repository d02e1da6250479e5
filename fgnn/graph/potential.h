// What a factor graph knows of a potential: how it scores, and whether it fits a scope.
//
// The graph stores potentials behind this interface and does not know any concrete kind; the kinds
// live in fgnn/potentials/. Algorithms that have a kernel for a kind look for it (dynamic_cast,
// once, at set-up) and fall back to the expanded table for kinds they do not know, so users may add
// kinds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fgnn/core/types.h"

namespace fgnn {

class LowRank;

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

  // An exact sum of rank-1 terms equal to this potential on this shape, or null where none of
  // reasonable size or precision exists. docs/algorithms.md lists the ranks.
  virtual std::shared_ptr<const LowRank> low_rank(Shape shape) const;

  // Holds log phi of every joint state that is allowed; need not be tight. The default knows
  // nothing: from minus to plus infinity.
  virtual ScoreRange range(Shape shape) const;

  // Same kind and same parameters, number for number.
  virtual bool equals(const Potential& other) const = 0;

  // Memory held by the parameters.
  virtual std::size_t bytes() const = 0;
};

}  // namespace fgnn
