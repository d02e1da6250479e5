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
      const T* w = weight;
      bool accumulate = false;
      for (const auto& x : inputs) {
        gemm(n, out_width, x.width, x.data + r * x.width, x.width, 1, w, out_width, y, out_width,
             accumulate, bias);
        accumulate = true;
        w += x.width * out_width;
      }
      apply(activation, y, n * out_width);
    }
  });
}

template <class T>
void linear_transpose(std::span<const std::size_t> widths, const T* weight, std::size_t out_width,
                      T* transposed) {
  for (const std::size_t width : widths) {
    transpose(weight, width, out_width, transposed);
    weight += width * out_width;
    transposed += width * out_width;
  }
}

template <class T>
void linear_backward(std::span<const Rows<T>> inputs, std::size_t rows, const T* transposed,
                     std::size_t out_width, Activation activation, const T* out, T* out_gradient,
                     std::span<const RowsGradient<T>> input_gradients, T* weight_gradient,
                     T* bias_gradient, int threads) {
  std::size_t in_width = 0;
  for (const auto& x : inputs) in_width += x.width;
  const std::size_t chunk = rows_at_a_time(in_width * out_width);
  // Sums over rows, one set per piece, added in order; the first piece's are the result.
  const std::size_t weights = weight_gradient != nullptr ? in_width * out_width : 0;
  const std::size_t biases = bias_gradient != nullptr ? out_width : 0;
  const std::size_t size = weights + biases, pieces = piece_count(rows, kChunk, threads);
  AlignedVector<T> sums(size * (pieces - 1));
  if (rows == 0) {
    std::fill_n(weight_gradient, weights, T(0));
    std::fill_n(bias_gradient, biases, T(0));
  }
  over_pieces(rows, kChunk, threads, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    T* dw = piece == 0 ? weight_gradient : sums.data() + (piece - 1) * size;
    T* db = piece == 0 ? bias_gradient : dw + weights;
    for (std::size_t r = begin; r < end; r += chunk) {
      const std::size_t n = std::min(chunk, end - r);
      T* dy = out_gradient + r * out_width;
      multiply_slope(activation, out + r * out_width, dy, n * out_width);
      if (bias_gradient != nullptr) {  // a row of ones times dy
        const T one = 1;
        gemm(1, out_width, n, &one, 0, 0, dy, out_width, db, out_width, r > begin);
      }
      std::size_t offset = 0;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const auto& x = inputs[k];
        if (weight_gradient != nullptr) {
          gemm(x.width, out_width, n, x.data + r * x.width, 1, x.width, dy, out_width, dw + offset,
               out_width, r > begin);
        }
        if (const auto [dx, add] = input_gradients[k]; dx != nullptr) {
          gemm(n, x.width, out_width, dy, out_width, 1, transposed + offset, x.width,
               dx + r * x.width, x.width, add);
        }
        offset += x.width * out_width;
      }
    }
  });
  for (std::size_t p = 0; p + 1 < pieces; ++p) {
    const T* own = sums.data() + p * size;
    add(own, weight_gradient, weights);
    add(own + weights, bias_gradient, biases);
  }
}

#define FGNN_INSTANTIATE(T)                                                                        \
  template void linear_forward<T>(std::span<const Rows<T>>, std::size_t, const T*, const T*,       \
                                  std::size_t, Activation, T*, int);                               \
  template void linear_transpose<T>(std::span<const std::size_t>, const T*, std::size_t, T*);      \
  template void linear_backward<T>(std::span<const Rows<T>>, std::size_t, const T*, std::size_t,   \
                                   Activation, const T*, T*, std::span<const RowsGradient<T>>, T*, \
                                   T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
