#include "fgnn/kernels/linear.h"

#include <algorithm>

#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/gemm.h"
#include "fgnn/kernels/pieces.h"

namespace fgnn::kernels {
namespace {

constexpr std::size_t kChunk = 128;  // rows that stay in the cache between the steps

// Large weights are themselves what passes through the cache: more rows at a time share the way.
std::size_t rows_at_a_time(std::size_t weights) { return weights > 1 << 16 ? 4 * kChunk : kChunk; }

template <class T>
void add_to(const T* in, T* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += in[i];
}

}  // namespace

template <class T>
void linear_forward(std::span<const Rows<T>> inputs, std::size_t rows, const T* weight,
                    const T* bias, std::size_t out_width, Activation activation, T* out,
                    int threads) {
  std::size_t in_width = 0;
  for (const auto& x : inputs) in_width += x.width;
  const std::size_t chunk = rows_at_a_time(in_width * out_width);
  over_pieces(rows, kChunk, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; r += chunk) {
      const std::size_t n = std::min(chunk, end - r);
      T* y = out + r * out_width;
      if (bias != nullptr) {
        for (std::size_t i = 0; i < n; ++i) std::copy_n(bias, out_width, y + i * out_width);
      }
      const T* w = weight;
      bool accumulate = bias != nullptr;
      for (const auto& x : inputs) {
        gemm(n, out_width, x.width, x.data + r * x.width, x.width, 1, w, out_width, y, out_width,
             accumulate);
        accumulate = true;
        w += x.width * out_width;
      }
      apply(activation, y, n * out_width);
    }
  });
}

template <class T>
void linear_backward(std::span<const Rows<T>> inputs, std::size_t rows, const T* weight,
                     std::size_t out_width, Activation activation, const T* out, T* out_gradient,
                     std::span<T* const> input_gradients, T* weight_gradient, T* bias_gradient,
                     int threads) {
  std::size_t in_width = 0;
  for (const auto& x : inputs) in_width += x.width;
  const std::size_t chunk = rows_at_a_time(in_width * out_width);
  AlignedVector<T> transposed(in_width * out_width);
  const T* w = weight;
  T* wt = transposed.data();
  for (const auto& x : inputs) {
    transpose(w, x.width, out_width, wt);
    w += x.width * out_width;
    wt += x.width * out_width;
  }
  // Sums over rows, one set per piece, added in order; the first piece's are the result.
  const std::size_t weights = weight_gradient != nullptr ? in_width * out_width : 0;
  const std::size_t biases = bias_gradient != nullptr ? out_width : 0;
  const std::size_t size = weights + biases, pieces = piece_count(rows, kChunk, threads);
  AlignedVector<T> sums(size * (pieces - 1));
  if (biases > 0) std::fill_n(bias_gradient, biases, T(0));
  if (rows == 0) std::fill_n(weight_gradient, weights, T(0));
  over_pieces(rows, kChunk, threads, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    T* dw = piece == 0 ? weight_gradient : sums.data() + (piece - 1) * size;
    T* db = piece == 0 ? bias_gradient : dw + weights;
    for (std::size_t r = begin; r < end; r += chunk) {
      const std::size_t n = std::min(chunk, end - r);
      T* dy = out_gradient + r * out_width;
      multiply_slope(activation, out + r * out_width, dy, n * out_width);
      if (bias_gradient != nullptr) {
        for (std::size_t i = 0; i < n; ++i) add_to(dy + i * out_width, db, out_width);
      }
      std::size_t offset = 0;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const auto& x = inputs[k];
        if (weight_gradient != nullptr) {
          gemm(x.width, out_width, n, x.data + r * x.width, 1, x.width, dy, out_width, dw + offset,
               out_width, r > begin);
        }
        if (input_gradients[k] != nullptr) {
          gemm(n, x.width, out_width, dy, out_width, 1, &transposed[offset], x.width,
               input_gradients[k] + r * x.width, x.width, false);
        }
        offset += x.width * out_width;
      }
    }
  });
  for (std::size_t p = 0; p + 1 < pieces; ++p) {
    const T* own = sums.data() + p * size;
    add_to(own, weight_gradient, weights);
    add_to(own + weights, bias_gradient, biases);
  }
}

#define FGNN_INSTANTIATE(T)                                                                      \
  template void linear_forward<T>(std::span<const Rows<T>>, std::size_t, const T*, const T*,     \
                                  std::size_t, Activation, T*, int);                             \
  template void linear_backward<T>(std::span<const Rows<T>>, std::size_t, const T*, std::size_t, \
                                   Activation, const T*, T*, std::span<T* const>, T*, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
