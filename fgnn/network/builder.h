// From a description to a program.
//
// FGNN(w) in the form on nodes, for every relation r (Zhang et al. 2023, Algorithm 1):
//
//   m_c  = AGG_{i in c} Q(kind of (c, i)) act(W_g g_c + W_f f_i + b)        variables to factors
//   g_c <- g_c + act(norm(W [m_c] + b))
//   m_i^r = AGG_{c of r at i} Q'(...) act(W'_g g_c + W'_f f_i + b')          factors to variables
//   f_i <- f_i + act(norm(W' [m_i^1, m_i^2, …] + b'))
//
// and in the form on messages (the low-rank equations), with x_e a latent on every edge:
//
//   y_e  = act(W [AGG_{e' of the same factor, not e} Q(kind) act(W_x x_e' + b), g_c] + b)
//   x_e <- x_e + act(norm(W' [sum of y_e' at the same variable, not e; f_i] + b'))
//   f_i <- f_i + act(norm(W'' [sum of y_e at i] + b''))
//
// and in the low-rank form, with rank=R, for factors of width R (kernels/scaled.h):
//
//   m_c  = AGG_{i in c} act(diag(a_kind) (W f_i + b) + s_kind)          variables to factors
//   g_c <- g_c + act(norm(m_c))
//   f_i <- f_i + act(norm(sum over r of W'_r sum_{c of r at i} diag(a'_kind) g_c))
//
// MPNN(w), for every relation r of pairs with features e_c (Gilmer et al. 2017; NNConv and a GRU of
// PyTorch Geometric):
//
//   a_c = relu(L e_c + b),  Q_c = sum_k a_ck W_k + B                          B with q_bias=yes
//   m_i = received(AGG_{j -> i by c} Q_c f_j + R f_i + b')                    R, b' with root=yes
//   f_i <- GRU(m_i, f_i)
//
// Pairs(w), along arcs: factors of a relation with features e_c, whose first variable sends to the
// second (Zhang and Lee 2019). What the features say, a_c, is made once and shared by all layers:
//
//   a_c = L' relu(L e_c + b) + b'                                    relu of it with q=diagonal
//   m_i = AGG_{j -> i by c} Q_c act(A f_i + B f_j + b [+ E a_c])             E with q=diagonal
//   Q_c = diag(G a_c + d) with q=diagonal, sum_k a_ck W_k with q=mixture
//   f_i <- f_i + act(norm(W m_i + b))
//
// GraphConv(w), with X the rows of a graph:  X <- act(norm(A (X W) + b)).
// Factors(w):  g_c <- [g_c, AGG_{i in c} W_kind f_i].
//
// Options (in "fgnn", or of one item):
//   q          table (by kind of edge) | mixture (of `bases` matrices, coefficients by a network on
//              the edge's features) | mlp (a full matrix by a network) | identity
//   bases, q_hidden      of mixture and mlp
//   mix        network | table: where a mixture's coefficients come from; a table by kind of edge
//              is trained itself, and needs no features
//   aggregate  max | sum | mean | logsumexp | product, several with +;  temperature of logsumexp
//   to_factor, to_variable    the same for one direction
//   factor     width of the factors, where it is not the layer's
//   m          widths of M's hidden layers, joined by +; the first is on nodes, others on edges
//   edges      no | yes: M also sees the edge's features, act(… + W_e e)
//   update     yes | no: the linear map after aggregation
//   updated    activation behind its norm, where it is not that of M
//   normed     update | sum: what the norm is of, f + act(norm(W m)) or norm(f + act(W m)), which
//              is near f at the start
//   norm       none | batch | layer | instance | position (batch norm with moments of every number
//              of a graph, for graphs of one size; factors have norm=batch then)
//   activation relu | leaky | tanh | sigmoid | identity
//   residual   yes | no (where widths agree)
//   order      sequence (factors first, then variables from the new factors) | together
//   form       node | message
//   rank       width of the factors in the low-rank form
// of MPNN alone:
//   aggregate  sum | mean, of each relation and direction; these are added
//   direction  both (a matrix each) | forward (from the first variable of a factor to the second,
//              for arcs) | backward | symmetric (both, by one matrix)
//   root, q_bias  no | yes
//   received   activation of the message: identity | relu | leaky | tanh | sigmoid
// of Pairs alone:
//   q          diagonal | mixture;  aggregate: one
// of Factors alone:
//   q          table | identity: W_kind f_i, or f_i itself
//   aggregate  one; sum unless given
//   positions  so many W, by the edge's position in its factor instead of its kind
// of FC, FGNN, Pairs and Factors:
//   relation   those that it is about, joined by +; all unless given; none
// of FC, Factors and Pool:
//   first, columns     which of the numbers that variables come with; FC and Factors take those
//              that variables have now unless given
// of Pool alone:
//   moments    so many columns | sum_i q_i x_i |, with q linear in the variables' rows and x their
//              places, which are columns of the numbers that variables come with
#pragma once

#include "fgnn/network/description.h"
#include "fgnn/network/program.h"

namespace fgnn::network {

// Throws Error(format) naming the item's column.
Program build(const Description& description);

}  // namespace fgnn::network
