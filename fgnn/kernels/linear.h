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

// Where the gradient of an input goes: null for nowhere.
template <class T>
struct RowsGradient {
  T* data = nullptr;
  bool add = false;  // to what is there, instead of overwriting it
};

// The transposed blocks of a weight matrix that a backward pass multiplies by, as many numbers as
// the matrix has. Made once, they serve all batches until the weights change.
template <class T>
void linear_transpose(std::span<const std::size_t> widths, const T* weight, std::size_t out_width,
                      T* transposed);

// out_gradient is overwritten by the gradient before the activation. input_gradients has one entry
// per input. The gradients of weight and bias may be null, and are overwritten.
template <class T>
void linear_backward(std::span<const Rows<T>> inputs, std::size_t rows, const T* transposed,
                     std::size_t out_width, Activation activation, const T* out, T* out_gradient,
                     std::span<const RowsGradient<T>> input_gradients, T* weight_gradient,
                     T* bias_gradient, int threads);

}  // namespace fgnn::kernels
