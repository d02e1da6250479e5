// Small images through a convolution and through pooling, forward and backward.
//
// An image is a row of height * width * channels numbers, the channels of a pixel side by side. A
// convolution of odd size s gives every pixel
//
//   out[y, x] = sum_{|dy|, |dx| <= s/2} in[y + dy, x + dx] W[dy, dx] + bias
//
// with zeros beyond the edges. Images get a frame of zeros, and the pixels of several of them are
// then one product of gather_gemm.h, of neighbourhoods that overlap in memory with the kernel:
// nothing is written out. The gradient by the image is another convolution, with the kernel turned
// around; that by the kernel is a product with the same neighbourhoods. 2 s*s*in*out operations per
// pixel forward, twice that backward.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fgnn::kernels {

struct ImageShape {
  std::size_t height = 0, width = 0, channels = 0;

  std::size_t pixels() const { return height * width; }
  std::size_t numbers() const { return pixels() * channels; }
  bool operator==(const ImageShape&) const = default;
};

// The shape behind a pooling by windows of this side, which are cut off at the edges.
inline ImageShape pooled(const ImageShape& s, std::size_t side) {
  return {(s.height + side - 1) / side, (s.width + side - 1) / side, s.channels};
}

// bias may be null.
template <class T>
void convolution_forward(const ImageShape& in, std::size_t size, std::size_t out_channels,
                         std::size_t images, const T* x, const T* weight, const T* bias, T* out,
                         int threads);

// Overwrites the gradients; each may be null.
template <class T>
void convolution_backward(const ImageShape& in, std::size_t size, std::size_t out_channels,
                          std::size_t images, const T* x, const T* weight, const T* out_gradient,
                          T* x_gradient, T* weight_gradient, T* bias_gradient, int threads);

// The largest of each window, by channel; `where` gets its slot in the window (the first, where
// several are equal) and may be null. At most 16 by 16 windows.
template <class T>
void max_pool_forward(const ImageShape& in, std::size_t side, std::size_t images, const T* x,
                      T* out, std::uint8_t* where, int threads);
template <class T>
void max_pool_backward(const ImageShape& in, std::size_t side, std::size_t images,
                       const std::uint8_t* where, const T* out_gradient, T* x_gradient,
                       int threads);

}  // namespace fgnn::kernels
