// A fully connected layer over the rows of one or several matrices side by side:
//
//   out = act( x_1 W_1 + x_2 W_2 + … + bias )
//
// with the W_k stacked in one weight matrix (sum of widths x out), so that a concatenation is never
// written down. Cost: 2 rows in out operations forward, twice that backward.
#pragma once

#include <cstddef>
#include <span>

#include "fgnn/kernels/activation.h"

namespace fgnn::kernels {

template <class T>
struct Rows {
  const T* data;
  std::size_t width;
};

// bias may be null.
template <class T>
void linear_forward(std::span<const Rows<T>> inputs, std::size_t rows, const T* weight,
                    const T* bias, std::size_t out_width, Activation activation, T* out,
                    int threads);

// out_gradient is overwritten by the gradient before the activation. input_gradients has one
// pointer per input; any pointer may be null. Gradients are overwritten.
template <class T>
void linear_backward(std::span<const Rows<T>> inputs, std::size_t rows, const T* weight,
                     std::size_t out_width, Activation activation, const T* out, T* out_gradient,
                     std::span<T* const> input_gradients, T* weight_gradient, T* bias_gradient,
                     int threads);

}  // namespace fgnn::kernels
