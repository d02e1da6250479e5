// Messages whose matrix is a diagonal that each kind of edge brings along:
//
//   out[t] = AGG over edges e into t of  act(target[t] + source[s(e)] + shift[kind(e)])
//   gate[kind(e)]
//
// entry by entry. With gate and shift made from the features of edges by a network, this is an
// edge-conditioned message (Gilmer et al. 2017) whose matrix Q_e = diag(gate_e) costs a few
// operations per column of an edge; the full products are paid once per node.
//
// AGG is max, sum or mean; a target without edges gets 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/aggregate.h"
#include "fgnn/kernels/incidence.h"

namespace fgnn::kernels {

template <class T>
struct GatedInput {
  const Incidence* edges = nullptr;
  std::size_t copies = 1, width = 0;
  const T* target = nullptr;  // copies * targets x width
  const T* source = nullptr;  // copies * sources x width
  const T* shift = nullptr;   // copies * kinds x width, likewise gate
  const T* gate = nullptr;
  Activation activation = Activation::relu;
  Aggregate aggregate = Aggregate::max;
};

// out: copies * targets x width. `where` gets the slots of the maxima; it may be null when no
// backward pass follows.
template <class T>
void gated_forward(const GatedInput<T>& in, T* out, std::vector<std::uint32_t>* where);

template <class T>
struct GatedGradient {  // overwritten; each may be null
  T* target = nullptr;
  T* source = nullptr;
  T* shift = nullptr;
  T* gate = nullptr;
};
template <class T>
void gated_backward(const GatedInput<T>& in, const std::vector<std::uint32_t>& where,
                    const T* out_gradient, const GatedGradient<T>& gradient);

}  // namespace fgnn::kernels
