// Probabilities from logarithms, row by row: y_j = exp(x_j) / sum_k exp(x_k), and the gradient
// dx = y (dy - <y, dy>). Rows are short (the states of a variable), so that whole rows are one
// loop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

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

// The same by column, over the rows offset[s] .. offset[s + 1] of each segment.
template <class T>
void softmax_columns_forward(const T* x, std::span<const std::size_t> offset, std::size_t width,
                             T* out) {
  std::vector<T> top(width), sum(width);
  for (std::size_t s = 0; s + 1 < offset.size(); ++s) {
    std::fill(top.begin(), top.end(), -std::numeric_limits<T>::infinity());
    std::fill(sum.begin(), sum.end(), T(0));
    const auto each = [&](auto body) {
      for (std::size_t r = offset[s]; r < offset[s + 1]; ++r) {
        for (std::size_t j = 0; j < width; ++j) body(r * width + j, j);
      }
    };
    each([&](std::size_t i, std::size_t j) { top[j] = std::max(top[j], x[i]); });
    each([&](std::size_t i, std::size_t j) { sum[j] += out[i] = std::exp(x[i] - top[j]); });
    each([&](std::size_t i, std::size_t j) { out[i] /= sum[j]; });
  }
}

template <class T>
void softmax_columns_backward(const T* y, const T* dy, std::span<const std::size_t> offset,
                              std::size_t width, T* dx) {
  std::vector<T> mean(width);
  for (std::size_t s = 0; s + 1 < offset.size(); ++s) {
    std::fill(mean.begin(), mean.end(), T(0));
    const std::size_t begin = offset[s] * width, end = offset[s + 1] * width;
    for (std::size_t i = begin; i < end; ++i) mean[i % width] += y[i] * dy[i];
    for (std::size_t i = begin; i < end; ++i) dx[i] = y[i] * (dy[i] - mean[i % width]);
  }
}

}  // namespace fgnn::kernels
