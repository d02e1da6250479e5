// Messages whose matrix is diagonal, one per kind of edge:
//
//   out[t] = AGG over edges e into t of  act(scale[kind(e)] * x[s(e)] + shift[kind(e)])
//
// entry by entry. This is the low-rank form of a high-order factor (Zhang et al. 2023, section
// 3.3): with x = W f, made once per variable, column r of a factor's row is the r-th term of a sum
// of rank-1 tensors, and a variable's place in the factor enters by scale and shift alone. So the
// matrix product is paid once per variable and factor type, however many variables a factor has,
// and what is paid per edge is a few operations per column.
//
// AGG is sum (a product of terms kept as logarithms), product or max. A target without edges gets
// 0, and 1 as a product.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/aggregate.h"
#include "fgnn/kernels/incidence.h"

namespace fgnn::kernels {

template <class T>
struct ScaledInput {
  const Incidence* edges = nullptr;
  std::size_t copies = 1, width = 0;
  const T* source = nullptr;           // copies * sources x width
  const T* scale = nullptr;            // kinds x width
  const T* shift = nullptr;            // kinds x width; may be absent
  const std::uint8_t* mask = nullptr;  // copies * edges by edge number; 0 takes an edge out
  Activation activation = Activation::identity;
  Aggregate aggregate = Aggregate::sum;  // sum, product or max
};

// out: copies * targets x width.
template <class T>
void scaled_forward(const ScaledInput<T>& in, T* out, int threads);

// Overwrites the gradients; each may be null. The same bits for any number of threads: they divide
// the columns.
template <class T>
void scaled_backward(const ScaledInput<T>& in, const T* out_gradient, T* source_gradient,
                     T* scale_gradient, T* shift_gradient, int threads);

}  // namespace fgnn::kernels
