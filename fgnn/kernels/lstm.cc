#include "fgnn/kernels/lstm.h"

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/activation.h"

namespace fgnn::kernels {
namespace {

template <class T>
struct Gates {
  T i, f, g, o;
  Gates(const T* a, const T* b, std::size_t w, std::size_t j)
      : i(apply(Activation::sigmoid, a[j] + b[j])),
        f(apply(Activation::sigmoid, a[w + j] + b[w + j])),
        g(std::tanh(a[2 * w + j] + b[2 * w + j])),
        o(apply(Activation::sigmoid, a[3 * w + j] + b[3 * w + j])) {}
};

}  // namespace

template <class T>
void lstm_forward(const T* a, const T* b, const T* state, std::size_t rows, std::size_t width,
                  T* out, int threads) {
  parallel_for(threads, rows, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const T* c = state + (2 * r + 1) * width;
      T* h = out + 2 * r * width;
      for (std::size_t j = 0; j < width; ++j) {
        const Gates<T> gate(a + r * 4 * width, b + r * 4 * width, width, j);
        const T cell = gate.f * c[j] + gate.i * gate.g;
        h[j] = gate.o * std::tanh(cell);
        h[width + j] = cell;
      }
    }
  });
}

template <class T>
void lstm_backward(const T* a, const T* b, const T* state, std::size_t rows, std::size_t width,
                   const T* out_gradient, T* gates_gradient, T* state_gradient, int threads) {
  parallel_for(threads, rows, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const T *c = state + (2 * r + 1) * width, *dh = out_gradient + 2 * r * width;
      T *d = gates_gradient + r * 4 * width, *old = state_gradient + 2 * r * width;
      for (std::size_t j = 0; j < width; ++j) {
        const Gates<T> gate(a + r * 4 * width, b + r * 4 * width, width, j);
        const T out = std::tanh(gate.f * c[j] + gate.i * gate.g);
        const T dc = dh[width + j] + dh[j] * gate.o * (1 - out * out);
        d[j] = dc * gate.g * gate.i * (1 - gate.i);
        d[width + j] = dc * c[j] * gate.f * (1 - gate.f);
        d[2 * width + j] = dc * gate.i * (1 - gate.g * gate.g);
        d[3 * width + j] = dh[j] * out * gate.o * (1 - gate.o);
        old[j] = 0;
        old[width + j] = dc * gate.f;
      }
    }
  });
}

#define FGNN_INSTANTIATE(T)                                                                        \
  template void lstm_forward<T>(const T*, const T*, const T*, std::size_t, std::size_t, T*, int);  \
  template void lstm_backward<T>(const T*, const T*, const T*, std::size_t, std::size_t, const T*, \
                                 T*, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
