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
// Options (in "fgnn", or of one item):
//   q          table (by kind of edge) | mixture (of `bases` matrices, coefficients by a network on
//              the edge's features) | mlp (a full matrix by a network) | identity
//   bases, q_hidden      of mixture and mlp
//   aggregate  max | sum | mean | logsumexp | product, several with +;  temperature of logsumexp
//   m          widths of M's hidden layers, joined by +; the first is on nodes, others on edges
//   update     yes | no: the linear map after aggregation
//   norm       none | batch | layer | instance
//   activation relu | leaky | tanh | sigmoid | identity
//   residual   yes | no (where widths agree)
//   order      sequence (factors first, then variables from the new factors) | together
//   form       node | message
//   rank       width of the factors in the low-rank form
#pragma once

#include "fgnn/network/description.h"
#include "fgnn/network/program.h"

namespace fgnn::network {

// Throws Error(format) naming the item's column.
Program build(const Description& description);

}  // namespace fgnn::network
