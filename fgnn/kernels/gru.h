// The pointwise half of a gated recurrent unit (Cho et al. 2014), as PyTorch defines it:
//
//   r = sigmoid(a_r + b_r),  z = sigmoid(a_z + b_z),  n = tanh(a_n + r b_n),
//   out = (1 - z) n + z h
//
// a = input W + bias and b = h U + bias are rows of 3 width numbers, in the order r, z, n.
#pragma once

#include <cstddef>

namespace fgnn::kernels {

template <class T>
void gru_forward(const T* a, const T* b, const T* h, std::size_t rows, std::size_t width, T* out,
                 int threads);

// Recomputes the gates; overwrites the gradients.
template <class T>
void gru_backward(const T* a, const T* b, const T* h, std::size_t rows, std::size_t width,
                  const T* out_gradient, T* a_gradient, T* b_gradient, T* h_gradient, int threads);

}  // namespace fgnn::kernels
