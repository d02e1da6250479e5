// Probabilities from logarithms, row by row: y_j = exp(x_j) / sum_k exp(x_k), and the gradient
// dx = y (dy - <y, dy>). Rows are short (the states of a variable), so that whole rows are one
// loop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "fgnn/core/parallel.h"

namespace fgnn::kernels {

template <class T>
void softmax_forward(const T* x, std::size_t rows, std::size_t width, T* out, int threads) {
  parallel_for(threads, rows, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const T* from = x + r * width;
      T* to = out + r * width;
      const T top = *std::max_element(from, from + width);
      T sum = 0;
      for (std::size_t j = 0; j < width; ++j) sum += to[j] = std::exp(from[j] - top);
      for (std::size_t j = 0; j < width; ++j) to[j] /= sum;
    }
  });
}

template <class T>
void softmax_backward(const T* y, const T* dy, std::size_t rows, std::size_t width, T* dx,
                      int threads) {
  parallel_for(threads, rows, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const T *value = y + r * width, *gradient = dy + r * width;
      T mean = 0;
      for (std::size_t j = 0; j < width; ++j) mean += value[j] * gradient[j];
      for (std::size_t j = 0; j < width; ++j) dx[r * width + j] = value[j] * (gradient[j] - mean);
    }
  });
}

}  // namespace fgnn::kernels
