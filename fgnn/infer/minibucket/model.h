// A factor graph as dense tables over what is left of it: states that cannot occur are gone,
// variables of one state are folded in, and structured potentials are chains of small tables with
// extra variables (fgnn/infer/exact/problem.h). What has neither a table of reasonable size nor
// such a chain is left out and replaced by the range of its scores, which keeps bounds bounds:
//   low + the rest <= score <= high + the rest.
// Variables are named by their place in the order of elimination, and axes of tables follow it,
// earliest first, the last one fastest.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/exact/order.h"
#include "fgnn/infer/exact/problem.h"

namespace fgnn::minibucket {

using Place = std::uint32_t;  // in the order of elimination

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Function {
  std::vector<Place> scope;  // ascending
  std::vector<double> values;
};

// Tables before anything is ordered: what a factor graph became.
struct Restated {
  Domains domains;
  exact::Problem problem;
  FactorGraph kept;         // without the factors that were left out
  ScoreRange left_out;      // the sum of their ranges and the constant of the graph
  std::size_t relaxed = 0;  // how many were left out
  double loose = 0;         // sources without variables

  // States of a variable of the problem; the joint states of a scope, as a logarithm to base 2.
  std::vector<double> log2_states() const;
};

// Tables of more than 2^bits joint states become chains where they can. Nothing is left out unless
// `relax` allows it: Error(too_large) then. domains.contradiction tells that nothing is allowed.
Restated restate(const FactorGraph& given, ExactTask task, std::size_t bits, bool relax,
                 Budget& budget);

}  // namespace fgnn::minibucket
