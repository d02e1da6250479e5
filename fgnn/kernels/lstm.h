// The pointwise half of a long short-term memory (Hochreiter and Schmidhuber 1997), as PyTorch
// defines it:
//
//   i, f, o = sigmoid(a_i + b_i), sigmoid(a_f + b_f), sigmoid(a_o + b_o),  g = tanh(a_g + b_g),
//   c' = f c + i g,  h' = o tanh(c')
//
// a = input W + bias and b = h U + bias are rows of 4 width numbers, in the order i, f, g, o. A
// state is a row of 2 width numbers: h, then c.
#pragma once

#include <cstddef>

namespace fgnn::kernels {

template <class T>
void lstm_forward(const T* a, const T* b, const T* state, std::size_t rows, std::size_t width,
                  T* out, int threads);

// Recomputes the gates; overwrites the gradients. That of a is also that of b; the old state's h
// has none here, for it comes in through b.
template <class T>
void lstm_backward(const T* a, const T* b, const T* state, std::size_t rows, std::size_t width,
                   const T* out_gradient, T* gates_gradient, T* state_gradient, int threads);

}  // namespace fgnn::kernels
