#include "fgnn/kernels/convolution.h"

#include <algorithm>

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/gemm.h"
#include "fgnn/kernels/pieces.h"
#include "fgnn/kernels/pointwise.h"

namespace fgnn::kernels {
namespace {

// Images with a frame of zeros as wide as a kernel reaches: neighbours beyond the edge are there
// then, and the size pixels of a row of a neighbourhood lie side by side.
class Framed {
 public:
  Framed(const ImageShape& shape, std::size_t size)
      : s_(shape), reach_(size / 2), columns_(shape.width + 2 * reach_) {}

  std::size_t numbers() const { return (s_.height + 2 * reach_) * columns_ * s_.channels; }
  std::size_t columns() const { return columns_; }
  // Where the neighbourhoods of row y begin, `dy` rows below their first.
  std::size_t neighbours(std::size_t y, std::size_t dy) const {
    return (y + dy) * columns_ * s_.channels;
  }
  // Where row y of the image itself begins.
  std::size_t row(std::size_t y) const { return ((y + reach_) * columns_ + reach_) * s_.channels; }
  // The frame in `framed` is zero already.
  template <class T>
  void fill(const T* image, T* framed) const {
    const std::size_t n = s_.width * s_.channels;
    for (std::size_t y = 0; y < s_.height; ++y) std::copy_n(image + y * n, n, framed + row(y));
  }

 private:
  ImageShape s_;
  std::size_t reach_, columns_;
};

// A row of an image at a time: products of the rows of its neighbourhoods with those of the kernel,
// where neighbourhoods overlap in memory instead of being written out.
template <class T>
void convolve(const Framed& frame, const ImageShape& s, std::size_t size, std::size_t out_channels,
              const T* framed, const T* weight, const T* bias, T* out) {
  const std::size_t c = s.channels, k = size * c;
  for (std::size_t y = 0; y < s.height; ++y) {
    for (std::size_t dy = 0; dy < size; ++dy) {
      gemm(s.width, out_channels, k, framed + frame.neighbours(y, dy), c, 1,
           weight + dy * k * out_channels, out_channels, out + y * s.width * out_channels,
           out_channels, dy > 0, bias);
    }
  }
}

// The kernel of the gradient: turned around, from output to input channels.
template <class T>
AlignedVector<T> turned(const T* weight, std::size_t size, std::size_t in, std::size_t out) {
  AlignedVector<T> result(size * size * in * out);
  const std::size_t slots = size * size;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    transpose(weight + slot * in * out, in, out, &result[(slots - 1 - slot) * in * out]);
  }
  return result;
}

}  // namespace

template <class T>
void convolution_forward(const ImageShape& in, std::size_t size, std::size_t out_channels,
                         std::size_t images, const T* x, const T* weight, const T* bias, T* out,
                         int threads) {
  const Framed frame(in, size);
  over_pieces(images, 2, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
    AlignedVector<T> framed(frame.numbers());
    for (std::size_t i = begin; i < end; ++i) {
      frame.fill(x + i * in.numbers(), framed.data());
      convolve(frame, in, size, out_channels, framed.data(), weight, bias,
               out + i * in.pixels() * out_channels);
    }
  });
}

template <class T>
void convolution_backward(const ImageShape& in, std::size_t size, std::size_t out_channels,
                          std::size_t images, const T* x, const T* weight, const T* out_gradient,
                          T* x_gradient, T* weight_gradient, T* bias_gradient, int threads) {
  const ImageShape out{in.height, in.width, out_channels};
  const Framed frame(in, size), out_frame(out, size);
  const std::size_t k = size * in.channels, weights = size * k * out_channels;
  const auto back =
      x_gradient != nullptr ? turned(weight, size, in.channels, out_channels) : AlignedVector<T>();
  // Sums over images, one set per piece, added in order.
  const std::size_t numbers = weights + out_channels, pieces = piece_count(images, 2, threads);
  AlignedVector<T> sums(numbers * pieces);
  over_pieces(images, 2, threads, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    AlignedVector<T> framed(frame.numbers()), dy(out_frame.numbers());
    T* sum = &sums[piece * numbers];
    // All pixels of an image in one product: between its rows dy is zero, by its frame.
    const std::size_t pixels = (in.height - 1) * frame.columns() + in.width;
    for (std::size_t i = begin; i < end; ++i) {
      out_frame.fill(out_gradient + i * out.numbers(), dy.data());
      const T* inside = dy.data() + out_frame.row(0);
      if (weight_gradient != nullptr) {
        frame.fill(x + i * in.numbers(), framed.data());
        for (std::size_t d = 0; d < size; ++d) {
          gemm(k, out_channels, pixels, framed.data() + frame.neighbours(0, d), 1, in.channels,
               inside, out_channels, sum + d * k * out_channels, out_channels, true);
        }
      }
      if (bias_gradient != nullptr) {  // a row of ones times dy
        const T one = 1;
        gemm(1, out_channels, pixels, &one, 0, 0, inside, out_channels, sum + weights, out_channels,
             true);
      }
      if (x_gradient != nullptr) {
        convolve(out_frame, out, size, in.channels, dy.data(), back.data(),
                 static_cast<const T*>(nullptr), x_gradient + i * in.numbers());
      }
    }
  });
  for (std::size_t p = 1; p < pieces; ++p) {
    add(&sums[p * numbers], sums.data(), numbers);
  }
  if (weight_gradient != nullptr) std::copy_n(sums.data(), weights, weight_gradient);
  if (bias_gradient != nullptr) std::copy_n(&sums[weights], out_channels, bias_gradient);
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
        if (slot == 0) {
          std::copy_n(from, c, to);
          if (at != nullptr) std::fill_n(at, c, std::uint8_t{0});
        } else {
          take_larger(from, static_cast<std::uint8_t>(slot), to, at, c);
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
        keep_slot(where + row, static_cast<std::uint8_t>(slot), out_gradient + row, to, c);
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
