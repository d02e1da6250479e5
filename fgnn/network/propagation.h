// Belief propagation as layers with weights: what the items SumProduct and MaxProduct of a network
// are. With the weights of fgnn/neuralize they are the algorithm, number for number; other weights
// are other, trainable algorithms.
//
// SumProduct(t, ranks=R1+R2): t iterations of low-rank sum-product in message form (Zhang et al.
// 2023, section 3), one rank for every relation. With S states, on every edge e = (c, i):
//
//   N_e = theta_i + sum of M_e' at i, e' != e          logarithms of messages to the factor
//   q_e = (.) of softmax(N_e') U at c, e' != e         product aggregator; U is S x R by kind
//   F_e = log( (lambda_c * q_e) D )                    D is R x S by kind
//   M_e <- [F_e, M_e] B                                fresh and old: damping
//
// and theta_i + sum of M_e at i comes out. lambda_c = exp(features A + a) L + l, where the relation
// has factor features; theta = unary features T. With latents=H and channels=K there is also
//
//   c_e = (.) of tanh([N_e', h_e'] C) at c, e' != e
//   s_e = sum of h_e' at i, e' != e
//   h_e <- tanh([N_e, h_e, c_e, F_e, s_e, lambda_c] G)    and   M_e <- [F_e, M_e, h_e] B
//
// tied=yes uses the same weights in all iterations. With states=S below the number of unary
// features the first S are the log-potentials (at the start), and C and G see all of them.
// fixed=yes trains everything but the potentials (U, D, A, L): signed terms of high rank cancel
// exactly, and small steps away from that are large ones.
//
// MaxProduct(t, terms=Z1+Z2, positions=A1+A2, slots=D1+D2): t iterations of max-product on factors
// that are maxima of Z rank-1 terms, in max-aggregation form (the paper's corollary of propositions
// 4 and 5). Numbers are costs, not negative: what a state scores below the best. Per edge:
//
//   n  = excess(theta_i + messages of other slots)      minima and excesses are chains of ReLU
//   a  = [min_x n(x) + phi(x, z)]_z                     layers (halvings below)
//   g  = max over the factor's edges of a placed at its position       nothing is lost by the max
//   m  = excess([min_z (sum of g at other positions)(z) + phi(x, z)]_x)
//   v  = max over the variable's edges of m placed at its slot
//
// where phi is an affine map of the factor's features (one number wider, for a constant) times a
// matrix by the edge's kind, and excess(y) = y - min y, clamped. Positions are the largest arity of
// a relation, slots the largest degree of a variable in it. Out come the beliefs: minus the costs.
#pragma once

#include <string>
#include <vector>

#include "fgnn/network/description.h"
#include "fgnn/network/writer.h"

namespace fgnn::network {

// Entries left of l after each halving, down to 2: 5 -> 5, 3, 2. As many ReLU units per row and
// layer find the minimum or maximum of l numbers that are not negative.
std::vector<std::size_t> halvings(std::size_t l);

// Write the item; return the register of log-beliefs. `factor` are registers by relation, -1 where
// it has no features.
int sum_product(Writer& w, const Item& item, const std::string& name, int variable,
                const std::vector<int>& factor, const Schema& schema);
int max_product(Writer& w, const Item& item, const std::string& name, int variable,
                const std::vector<int>& factor, const Schema& schema);

}  // namespace fgnn::network
