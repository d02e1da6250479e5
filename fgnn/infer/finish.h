// The one place where answers are finished: whoever solved, these functions complete the result on
// the graph given the evidence and check what it claims.
//
// MAP. The score is that of the assignment on this graph, the bound the one that the method claims:
//   score <= optimum <= bound.
// Status exact: the bound is within kProofGap (and rounding) of the score. Status infeasible: the
// constant, a variable, the bound or the method's own proof leaves no assignment.
//
// Marginals. Rows are probabilities, zero where the unary potential forbids. Every allowed
// assignment scores within range = [low, high], hence
//   low <= log Z <= sum_v log sum_x exp theta_v(x) + sum_c max phi_c + constant;
// an approximation outside of that is withheld, and its status is diverged. What a method proves of
// ln Z, low <= ln Z <= high, holds its own estimate; an upper bound of minus infinity is a proof
// that nothing is allowed. Status exact: both are ln Z. A sampled interval proves nothing and is
// cut to what is proved.
//
// A claim that cannot be (an assignment above its bound or in a state that evidence rules out, a
// claimed proof that does not hold) is Error(internal): a bug is reported, never an answer that
// looks proved. Potentials whose sum is beyond the range of a double are Error(model): such a sum
// is infinite, and would pass for forbidden or for an optimum.
#pragma once

#include <string>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

// A score this near to a bound is the optimum; absolute, beside the rounding of the sums.
inline constexpr double kProofGap = 1e-6;

// `given` has the evidence folded in (FactorGraph::given). `proof_gap` is the method's own, where
// it was asked for another.
Result finish_map(const FactorGraph& given, Result claims, double proof_gap = kProofGap);
Result finish_marginals(const FactorGraph& given, Result claims, double temperature = 1);

// What a method claims that has proved that every assignment is forbidden.
Result infeasible(std::string why);

// Whether `bound` proves a score of this size, allowing for rounding.
bool meets(double score, double bound, double proof_gap = kProofGap);

}  // namespace fgnn
