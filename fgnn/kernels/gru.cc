#include "fgnn/kernels/gru.h"

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/aligned.h"

namespace fgnn::kernels {
namespace {

// The gates of one row, each with SIMD.
template <class T>
class Gates {
 public:
  const T *r, *z, *n;

  explicit Gates(std::size_t width) : width_(width), all_(3 * width) {
    r = all_.data();
    z = r + width;
    n = z + width;
  }
  void load(const T* a, const T* b) {
    T *all = all_.data(), *last = all + 2 * width_;
    for (std::size_t j = 0; j < 2 * width_; ++j) all[j] = a[j] + b[j];
    apply(Activation::sigmoid, all, 2 * width_);
    for (std::size_t j = 0; j < width_; ++j) last[j] = a[2 * width_ + j] + r[j] * b[2 * width_ + j];
    apply(Activation::tanh, last, width_);
  }

 private:
  std::size_t width_;
  AlignedVector<T> all_;
};

}  // namespace

template <class T>
void gru_forward(const T* a, const T* b, const T* h, std::size_t rows, std::size_t width, T* out,
                 int threads) {
  parallel_for(threads, rows, 16, [&](std::size_t begin, std::size_t end) {
    Gates<T> g(width);
    for (std::size_t i = begin; i < end; ++i) {
      g.load(a + i * 3 * width, b + i * 3 * width);
      for (std::size_t j = 0; j < width; ++j) {
        out[i * width + j] = (1 - g.z[j]) * g.n[j] + g.z[j] * h[i * width + j];
      }
    }
  });
}

template <class T>
void gru_backward(const T* a, const T* b, const T* h, std::size_t rows, std::size_t width,
                  const T* out_gradient, T* a_gradient, T* b_gradient, T* h_gradient, int threads) {
  parallel_for(threads, rows, 16, [&](std::size_t begin, std::size_t end) {
    Gates<T> g(width);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t base = i * 3 * width;
      g.load(a + base, b + base);
      for (std::size_t j = 0; j < width; ++j) {
        const T r = g.r[j], z = g.z[j], n = g.n[j], d = out_gradient[i * width + j];
        const T dn = d * (1 - z) * (1 - n * n);
        const T dz = d * (h[i * width + j] - n) * z * (1 - z);
        const T dr = dn * b[base + 2 * width + j] * r * (1 - r);
        a_gradient[base + j] = b_gradient[base + j] = dr;
        a_gradient[base + width + j] = b_gradient[base + width + j] = dz;
        a_gradient[base + 2 * width + j] = dn;
        b_gradient[base + 2 * width + j] = dn * r;
        h_gradient[i * width + j] = d * z;
      }
    }
  });
}

#define FGNN_INSTANTIATE(T)                                                                       \
  template void gru_forward<T>(const T*, const T*, const T*, std::size_t, std::size_t, T*, int);  \
  template void gru_backward<T>(const T*, const T*, const T*, std::size_t, std::size_t, const T*, \
                                T*, T*, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
