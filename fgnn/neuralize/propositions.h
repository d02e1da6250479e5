// The constructions by which an FGNN is max-product belief propagation (Zhang et al. 2023, section
// 4.3 and appendix), as layers with weights. Each comes with its statement; tests/neuralize checks
// them, with the sizes that the paper claims.
//
// The paper makes log-potentials non-negative by subtracting their minima, so that a maximum of
// features placed apart loses nothing. A forbidden state has no minimum to subtract; the compiled
// networks (max_product.h) therefore carry costs, best score minus score, which are not negative
// either, and a finite number for "forbidden". The constructions are the same with minima for
// maxima.
#pragma once

#include <cstddef>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/neuralize/layers.h"

namespace fgnn::neuralize {

// Lemma 2: matrices Q_1 … Q_k (l x k l) with max_i x_i Q_i = (x_1, …, x_k), side by side, for all
// x_i in R^l that are not negative. Q_i puts its row in place i, zeros elsewhere.
Matrices lossless_aggregation(std::size_t k, std::size_t l);

// Proposition 3: sum_i x_i = (max_i x_i W_i) Q for x_i that are not negative. W is that of Lemma 2
// (k l^2 k numbers), Q is k l x l.
struct SumThroughMax {
  Matrices w;
  Dense q;
};
SumThroughMax sum_through_max(std::size_t k, std::size_t l);
// Of all but one: matrix i (k l x l) sums the places but i. Absorbs Q into the next layer's
// matrices by kind of edge, without the subtraction of the paper's equation for b_{f->i}, so that
// nothing is lost beside large numbers.
Matrices sum_of_others(std::size_t k, std::size_t l);

// Proposition 2: the maximum of each of k rows of l real numbers, by 2 ceil(log2 l) layers, every
// other one ReLU: max(a, b) = relu(a - b) + relu(b) - relu(-b). It has 3 k (l - 1) units where l is
// a power of two (the paper says at most 2 n, which holds for the next one).
Layers row_maximum(std::size_t k, std::size_t l);

enum class Extreme { maximum, minimum };
// The same for numbers that are not negative: max(a, b) = relu(b) + relu(a - b), min(a, b) =
// relu(b) - relu(b - a), linear layers merged into the next: ceil(log2 l) ReLU layers of widths
// k * network::halvings(l), 2 k (l - 1) units for powers of two, and a linear one.
Layers row_extreme(std::size_t k, std::size_t l, Extreme extreme);

// Proposition 1: the max-of-rank-1 form of a table of costs (shape, last variable fastest), as Q by
// position of a one-layer network on the factor's features [c(x^1), …, c(x^Z), 1]: matrix j is
// (Z + 1) x (Z S), and gives phi_j(z, x) = c(x^z) / n where x = x^z_j, `forbidden` elsewhere;
// min_z sum_j phi_j(z, x_j) = c(x) while costs are below `forbidden`. S is the largest number of
// states.
Matrices decomposition(Shape shape, double forbidden);

// y - min y (or max y - y, for scores), clamped at `ceiling`: S numbers, `inputs` blocks of S that
// are added first. Layers: differences, the chain of their maxima, clamp (2).
struct Excess {
  Dense difference;
  Layers largest;
  Dense above, clamp;
};
Excess excess(std::size_t states, std::size_t inputs, double ceiling, bool of_scores = false);

// Proposition 4, from variables to factors: on every edge a(z) = min_x [n(x) + phi(z, x)], by a
// chain on [n (S), phi (Z S)], then placed by position among A, then the sum of the others:
// b_{c->i}(z).
struct VariableToFactor {
  Layers over_states;
  Matrices place, other_positions;
};
VariableToFactor variable_to_factor(std::size_t states, std::size_t terms, std::size_t positions);

// Proposition 5, from factors to variables: m(x) = min_z [b(z) + phi(z, x)], by a chain on [b (Z),
// phi (Z S)], then placed by slot among D, then the sum of the others.
struct FactorToVariable {
  Layers over_terms;
  Matrices slot, other_slots;
};
FactorToVariable factor_to_variable(std::size_t states, std::size_t terms, std::size_t slots);

// The graph with every potential's minimum subtracted, in tables and unaries: nothing is negative,
// and the assignments of the highest score are the same. Throws Error(unsupported) naming a factor
// or variable that forbids a state, which has no minimum.
FactorGraph non_negative(const FactorGraph& graph);

}  // namespace fgnn::neuralize
