#include "fgnn/kernels/convolution.h"

#include <algorithm>

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/gemm.h"
#include "fgnn/kernels/pieces.h"

namespace fgnn::kernels {
namespace {

constexpr std::size_t kPixels = 256;  // rows of a block's matrix of neighbourhoods

std::size_t images_per_block(const ImageShape& s) {
  return std::max<std::size_t>(1, kPixels / s.pixels());
}

// Calls f(pixel, slot of the neighbourhood, neighbour's pixel) for all that lie inside the image.
template <class F>
void over_neighbours(const ImageShape& s, std::size_t size, F f) {
  const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(size / 2);
  const auto height = static_cast<std::ptrdiff_t>(s.height);
  const auto width = static_cast<std::ptrdiff_t>(s.width);
  for (std::ptrdiff_t y = 0; y < height; ++y) {
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      for (std::ptrdiff_t dy = -reach; dy <= reach; ++dy) {
        if (y + dy < 0 || y + dy >= height) continue;
        for (std::ptrdiff_t dx = -reach; dx <= reach; ++dx) {
          if (x + dx < 0 || x + dx >= width) continue;
          f(static_cast<std::size_t>(y * width + x),
            static_cast<std::size_t>((dy + reach) * static_cast<std::ptrdiff_t>(size) + dx + reach),
            static_cast<std::size_t>((y + dy) * width + x + dx));
        }
      }
    }
  }
}

// Neighbourhoods side by side; what lies outside was zero before and stays so.
template <class T>
void spread(const ImageShape& s, std::size_t size, const T* image, T* rows) {
  const std::size_t c = s.channels, row = size * size * c;
  over_neighbours(s, size, [&](std::size_t pixel, std::size_t slot, std::size_t from) {
    std::copy_n(image + from * c, c, rows + pixel * row + slot * c);
  });
}

template <class T>
void gather_back(const ImageShape& s, std::size_t size, const T* rows, T* image) {
  const std::size_t c = s.channels, row = size * size * c;
  std::fill_n(image, s.numbers(), T(0));
  over_neighbours(s, size, [&](std::size_t pixel, std::size_t slot, std::size_t to) {
    const T* in = rows + pixel * row + slot * c;
    T* out = image + to * c;
    for (std::size_t k = 0; k < c; ++k) out[k] += in[k];
  });
}

}  // namespace

template <class T>
void convolution_forward(const ImageShape& in, std::size_t size, std::size_t out_channels,
                         std::size_t images, const T* x, const T* weight, const T* bias, T* out,
                         int threads) {
  const std::size_t block = images_per_block(in), pixels = in.pixels();
  const std::size_t row = size * size * in.channels;
  over_pieces(images, block, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
    AlignedVector<T> rows(block * pixels * row);
    for (std::size_t i = begin; i < end; i += block) {
      const std::size_t n = std::min(block, end - i);
      for (std::size_t k = 0; k < n; ++k) {
        spread(in, size, x + (i + k) * in.numbers(), &rows[k * pixels * row]);
      }
      T* y = out + i * pixels * out_channels;
      if (bias != nullptr) {
        for (std::size_t p = 0; p < n * pixels; ++p) {
          std::copy_n(bias, out_channels, y + p * out_channels);
        }
      }
      gemm(n * pixels, out_channels, row, rows.data(), row, 1, weight, out_channels, y,
           out_channels, bias != nullptr);
    }
  });
}

template <class T>
void convolution_backward(const ImageShape& in, std::size_t size, std::size_t out_channels,
                          std::size_t images, const T* x, const T* weight, const T* out_gradient,
                          T* x_gradient, T* weight_gradient, T* bias_gradient, int threads) {
  const std::size_t block = images_per_block(in), pixels = in.pixels();
  const std::size_t row = size * size * in.channels;
  AlignedVector<T> transposed(row * out_channels);
  transpose(weight, row, out_channels, transposed.data());
  // Sums over images, one set per piece, added in order.
  const std::size_t numbers = (row + 1) * out_channels;
  const std::size_t pieces = piece_count(images, block, threads);
  AlignedVector<T> sums(numbers * pieces);
  over_pieces(images, block, threads, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    AlignedVector<T> rows(block * pixels * row), back(x_gradient ? block * pixels * row : 0);
    T* sum = &sums[piece * numbers];
    for (std::size_t i = begin; i < end; i += block) {
      const std::size_t n = std::min(block, end - i);
      const T* dy = out_gradient + i * pixels * out_channels;
      if (weight_gradient != nullptr) {
        for (std::size_t k = 0; k < n; ++k) {
          spread(in, size, x + (i + k) * in.numbers(), &rows[k * pixels * row]);
        }
        gemm(row, out_channels, n * pixels, rows.data(), 1, row, dy, out_channels, sum,
             out_channels, true);
      }
      if (bias_gradient != nullptr) {
        T* db = sum + row * out_channels;
        for (std::size_t p = 0; p < n * pixels; ++p) {
          for (std::size_t j = 0; j < out_channels; ++j) db[j] += dy[p * out_channels + j];
        }
      }
      if (x_gradient != nullptr) {
        gemm(n * pixels, row, out_channels, dy, out_channels, 1, transposed.data(), row,
             back.data(), row, false);
        for (std::size_t k = 0; k < n; ++k) {
          gather_back(in, size, &back[k * pixels * row], x_gradient + (i + k) * in.numbers());
        }
      }
    }
  });
  for (std::size_t p = 1; p < pieces; ++p) {
    for (std::size_t j = 0; j < numbers; ++j) sums[j] += sums[p * numbers + j];
  }
  if (weight_gradient != nullptr) std::copy_n(sums.data(), row * out_channels, weight_gradient);
  if (bias_gradient != nullptr) {
    std::copy_n(&sums[row * out_channels], out_channels, bias_gradient);
  }
}

namespace {

// Calls f(window, slot, pixel) for the pixels of every window, windows in order.
template <class F>
void over_windows(const ImageShape& s, std::size_t side, F f) {
  const ImageShape to = pooled(s, side);
  for (std::size_t y = 0; y < to.height; ++y) {
    for (std::size_t x = 0; x < to.width; ++x) {
      for (std::size_t dy = 0; dy < side && y * side + dy < s.height; ++dy) {
        for (std::size_t dx = 0; dx < side && x * side + dx < s.width; ++dx) {
          f(y * to.width + x, dy * side + dx, (y * side + dy) * s.width + x * side + dx);
        }
      }
    }
  }
}

}  // namespace

template <class T>
void max_pool_forward(const ImageShape& in, std::size_t side, std::size_t images, const T* x,
                      T* out, std::uint8_t* where, int threads) {
  const std::size_t c = in.channels, numbers = pooled(in, side).numbers();
  parallel_for(threads, images, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      over_windows(in, side, [&](std::size_t window, std::size_t slot, std::size_t pixel) {
        const T* from = x + i * in.numbers() + pixel * c;
        T* to = out + i * numbers + window * c;
        std::uint8_t* at = where == nullptr ? nullptr : where + i * numbers + window * c;
        for (std::size_t k = 0; k < c; ++k) {
          // Not (from <= to), so that a NaN stays one.
          if (slot > 0 && !(from[k] > to[k]) && from[k] == from[k]) continue;
          to[k] = from[k];
          if (at != nullptr) at[k] = static_cast<std::uint8_t>(slot);
        }
      });
    }
  });
}

template <class T>
void max_pool_backward(const ImageShape& in, std::size_t side, std::size_t images,
                       const std::uint8_t* where, const T* out_gradient, T* x_gradient,
                       int threads) {
  const std::size_t c = in.channels, numbers = pooled(in, side).numbers();
  parallel_for(threads, images, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      over_windows(in, side, [&](std::size_t window, std::size_t slot, std::size_t pixel) {
        const std::size_t row = i * numbers + window * c;
        T* to = x_gradient + i * in.numbers() + pixel * c;
        for (std::size_t k = 0; k < c; ++k) {
          to[k] = where[row + k] == slot ? out_gradient[row + k] : T(0);
        }
      });
    }
  });
}

#define FGNN_INSTANTIATE(T)                                                                       \
  template void convolution_forward<T>(const ImageShape&, std::size_t, std::size_t, std::size_t,  \
                                       const T*, const T*, const T*, T*, int);                    \
  template void convolution_backward<T>(const ImageShape&, std::size_t, std::size_t, std::size_t, \
                                        const T*, const T*, const T*, T*, T*, T*, int);           \
  template void max_pool_forward<T>(const ImageShape&, std::size_t, std::size_t, const T*, T*,    \
                                    std::uint8_t*, int);                                          \
  template void max_pool_backward<T>(const ImageShape&, std::size_t, std::size_t,                 \
                                     const std::uint8_t*, const T*, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
