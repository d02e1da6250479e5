// AD3: alternating directions dual decomposition for the linear programming relaxation of MAP,
//   maximise  sum_i theta_i(p_i) + sum_c theta_c(q_c)   over local marginals q_c that agree with p,
// Martins, Figueiredo, Aguiar, Smith, Xing, "AD3: Alternating Directions Dual Decomposition for MAP
// Inference in Graphical Models", JMLR 16 (2015). The relaxation is tight on trees and often close
// elsewhere; its dual bounds the score of every assignment, whenever one stops.
//
// One iteration solves a small quadratic problem per factor, exactly: in closed form for pairs of
// binary variables, concave functions of a count of binary variables (budgets, exactly one, or) and
// parities; by an active set method around the factor's own maximisation for all other kinds.
// Structured potentials are not expanded, except low-rank ones, whose maximum has no short cut
// (Error too_large where the table does not fit).
#pragma once

#include <cstdint>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct Ad3Options {
  std::size_t iterations = 1000;
  double tolerance = 1e-6;  // stop when both residuals (root mean square) are no larger
  double step = 0.1;        // weight of the quadratic term at the start, in units of the score
  bool adapt_step = true;   // keep the residuals in balance; turn off to keep `step`
  // Make the rounded solution an allowed one and climb from there (repair.h). Off: every variable
  // takes its most likely state, whatever that breaks.
  bool repair = true;
  double time_limit = kInfinity;  // seconds
  Control control;                // who looks on, and may ask to stop
  std::uint64_t seed = 0;         // of the repair
  double gap = 1e-6;              // a score this near to the bound is proved (status exact)

  void validate() const;  // throws Error(usage)
  bool operator==(const Ad3Options&) const = default;
};

Fields fields(const Ad3Options& options);

// The dual bound, the relaxed solution as marginals, and its rounding as assignment with score.
// Status exact when the score meets the bound; infeasible, naming the factor, when one factor alone
// shows it (finding out in general is as hard as MAP).
Result ad3(const FactorGraph& graph, const Ad3Options& options = {}, const Evidence& evidence = {});

}  // namespace fgnn
