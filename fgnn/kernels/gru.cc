#include "fgnn/kernels/gru.h"

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/activation.h"

namespace fgnn::kernels {
namespace {

template <class T>
struct Gates {
  T r, z, n;
  Gates(const T* a, const T* b, std::size_t w, std::size_t j)
      : r(apply(Activation::sigmoid, a[j] + b[j])),
        z(apply(Activation::sigmoid, a[w + j] + b[w + j])),
        n(std::tanh(a[2 * w + j] + r * b[2 * w + j])) {}
};

}  // namespace

template <class T>
void gru_forward(const T* a, const T* b, const T* h, std::size_t rows, std::size_t width, T* out,
                 int threads) {
  parallel_for(threads, rows, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        const Gates<T> g(a + i * 3 * width, b + i * 3 * width, width, j);
        out[i * width + j] = (1 - g.z) * g.n + g.z * h[i * width + j];
      }
    }
  });
}

template <class T>
void gru_backward(const T* a, const T* b, const T* h, std::size_t rows, std::size_t width,
                  const T* out_gradient, T* a_gradient, T* b_gradient, T* h_gradient, int threads) {
  parallel_for(threads, rows, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t base = i * 3 * width;
      for (std::size_t j = 0; j < width; ++j) {
        const Gates<T> g(a + base, b + base, width, j);
        const T d = out_gradient[i * width + j];
        const T dn = d * (1 - g.z) * (1 - g.n * g.n);
        const T dz = d * (h[i * width + j] - g.n) * g.z * (1 - g.z);
        const T dr = dn * b[base + 2 * width + j] * g.r * (1 - g.r);
        a_gradient[base + j] = b_gradient[base + j] = dr;
        a_gradient[base + width + j] = b_gradient[base + width + j] = dz;
        a_gradient[base + 2 * width + j] = dn;
        b_gradient[base + 2 * width + j] = dn * g.r;
        h_gradient[i * width + j] = d * g.z;
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
