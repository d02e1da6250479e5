#include "fgnn/kernels/convolution.h"

#include <algorithm>

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/gather_gemm.h"
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
  // From a row of a neighbourhood to the one below.
  std::size_t step() const { return columns_ * s_.channels; }
  // Where the neighbourhoods of the pixels of some images begin.
  std::vector<std::size_t> neighbourhoods(std::size_t images) const {
    std::vector<std::size_t> result;
    result.reserve(images * s_.pixels());
    for (std::size_t i = 0; i < images; ++i) {
      for (std::size_t y = 0; y < s_.height; ++y) {
        for (std::size_t x = 0; x < s_.width; ++x) {
          result.push_back(i * numbers() + (y * columns_ + x) * s_.channels);
        }
      }
    }
    return result;
  }
  // The frames in `framed` are zero already.
  template <class T>
  void fill(const T* x, std::size_t images, T* framed) const {
    const std::size_t n = s_.width * s_.channels;
    for (std::size_t i = 0; i < images; ++i, x += s_.numbers(), framed += numbers()) {
      for (std::size_t y = 0; y < s_.height; ++y) {
        std::copy_n(x + y * n, n, framed + ((y + reach_) * columns_ + reach_) * s_.channels);
      }
    }
  }

 private:
  ImageShape s_;
  std::size_t reach_, columns_;
};

// Images whose pixels go into one product: enough rows for its right side to be worth copying, few
// enough to stay in the cache.
std::size_t images_at_a_time(const ImageShape& s) {
  constexpr std::size_t kPixels = 256;
  return std::max<std::size_t>(1, kPixels / std::max<std::size_t>(1, s.pixels()));
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
  const std::size_t most = images_at_a_time(in);
  const auto rows = frame.neighbourhoods(std::min(most, images));
  over_pieces(images, 2, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
    AlignedVector<T> framed(frame.numbers() * std::min(most, end - begin));
    for (std::size_t i = begin; i < end; i += most) {
      const std::size_t n = std::min(most, end - i);
      frame.fill(x + i * in.numbers(), n, framed.data());
      gather_product(n * in.pixels(), out_channels, size, size * in.channels, framed.data(),
                     rows.data(), frame.step(), weight, bias, out + i * in.pixels() * out_channels);
    }
  });
}

template <class T>
void convolution_backward(const ImageShape& in, std::size_t size, std::size_t out_channels,
                          std::size_t images, const T* x, const T* weight, const T* out_gradient,
                          T* x_gradient, T* weight_gradient, T* bias_gradient, int threads) {
  const ImageShape out{in.height, in.width, out_channels};
  const Framed frame(in, size), out_frame(out, size);
  const std::size_t most = images_at_a_time(in), together = std::min(most, images);
  const auto rows = frame.neighbourhoods(together), out_rows = out_frame.neighbourhoods(together);
  const std::size_t k = size * in.channels, weights = size * k * out_channels;
  const auto back =
      x_gradient != nullptr ? turned(weight, size, in.channels, out_channels) : AlignedVector<T>();
  // Sums over images, one set per piece, added in order.
  const std::size_t numbers = weights + out_channels, pieces = piece_count(images, 2, threads);
  AlignedVector<T> sums(numbers * pieces);
  over_pieces(images, 2, threads, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    const std::size_t room = std::min(most, end - begin);
    AlignedVector<T> framed(weight_gradient != nullptr ? frame.numbers() * room : 0);
    AlignedVector<T> framed_dy(x_gradient != nullptr ? out_frame.numbers() * room : 0);
    T* sum = &sums[piece * numbers];
    for (std::size_t i = begin; i < end; i += most) {
      const std::size_t n = std::min(most, end - i), pixels = n * in.pixels();
      const T* dy = out_gradient + i * out.numbers();
      if (weight_gradient != nullptr) {
        frame.fill(x + i * in.numbers(), n, framed.data());
        gather_outer(k, out_channels, size, pixels, framed.data(), rows.data(), frame.step(), dy,
                     sum);
      }
      if (bias_gradient != nullptr) {  // a row of ones times dy
        const T one = 1;
        gemm(1, out_channels, pixels, &one, 0, 0, dy, out_channels, sum + weights, out_channels,
             true);
      }
      if (x_gradient != nullptr) {
        out_frame.fill(dy, n, framed_dy.data());
        gather_product(pixels, in.channels, size, size * out_channels, framed_dy.data(),
                       out_rows.data(), out_frame.step(), back.data(),
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
