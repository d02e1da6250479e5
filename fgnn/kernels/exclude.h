// Aggregation that leaves the receiver out: the message form of the network and of belief
// propagation (Zhang et al. 2023, the low-rank equations).
//
//   out[e] = AGG over edges e' of the same node as e, e' != e, of x[e']
//
// Rows are edges by number, copy after copy; `node` says which edges meet (its targets). Linear in
// the degree: prefixes and suffixes for sums and products (through logarithms where a partial
// product might leave the range of numbers), the best two for a maximum. An edge alone at its node
// gets 0, and 1 as a product. Edges that the mask (copies * edges, may be null) takes out send
// nothing and get 0.
#pragma once

#include "fgnn/kernels/aggregate.h"
#include "fgnn/kernels/incidence.h"

namespace fgnn::kernels {

template <class T>
void exclude_forward(const Incidence& node, std::size_t copies, const T* x, std::size_t width,
                     Aggregate aggregate, double temperature, const std::uint8_t* mask, T* out,
                     int threads);

// Overwrites x_gradient.
template <class T>
void exclude_backward(const Incidence& node, std::size_t copies, const T* x, const T* out,
                      const T* out_gradient, std::size_t width, Aggregate aggregate,
                      double temperature, const std::uint8_t* mask, T* x_gradient, int threads);

}  // namespace fgnn::kernels
