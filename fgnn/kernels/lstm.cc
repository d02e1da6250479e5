#include "fgnn/kernels/lstm.h"

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/aligned.h"

namespace fgnn::kernels {
namespace {

// The gates and the new cells of one row, each with SIMD.
template <class T>
class Gates {
 public:
  const T *i, *f, *g, *o, *cell, *cell_out;  // the last is tanh(cell)

  explicit Gates(std::size_t width) : width_(width), all_(6 * width) {
    i = all_.data();
    f = i + width;
    g = f + width;
    o = g + width;
    cell = o + width;
    cell_out = cell + width;
  }
  void load(const T* a, const T* b, const T* c) {
    const std::size_t w = width_;
    T* all = all_.data();
    for (std::size_t j = 0; j < 4 * w; ++j) all[j] = a[j] + b[j];
    apply(Activation::sigmoid, all, 2 * w);
    apply(Activation::tanh, all + 2 * w, w);
    apply(Activation::sigmoid, all + 3 * w, w);
    for (std::size_t j = 0; j < w; ++j) all[5 * w + j] = all[4 * w + j] = f[j] * c[j] + i[j] * g[j];
    apply(Activation::tanh, all + 5 * w, w);
  }

 private:
  std::size_t width_;
  AlignedVector<T> all_;
};

}  // namespace

template <class T>
void lstm_forward(const T* a, const T* b, const T* state, std::size_t rows, std::size_t width,
                  T* out, int threads) {
  parallel_for(threads, rows, 16, [&](std::size_t begin, std::size_t end) {
    Gates<T> gate(width);
    for (std::size_t r = begin; r < end; ++r) {
      gate.load(a + r * 4 * width, b + r * 4 * width, state + (2 * r + 1) * width);
      T* h = out + 2 * r * width;
      for (std::size_t j = 0; j < width; ++j) {
        h[j] = gate.o[j] * gate.cell_out[j];
        h[width + j] = gate.cell[j];
      }
    }
  });
}

template <class T>
void lstm_backward(const T* a, const T* b, const T* state, std::size_t rows, std::size_t width,
                   const T* out_gradient, T* gates_gradient, T* state_gradient, int threads) {
  parallel_for(threads, rows, 16, [&](std::size_t begin, std::size_t end) {
    Gates<T> gate(width);
    for (std::size_t r = begin; r < end; ++r) {
      const T *c = state + (2 * r + 1) * width, *dh = out_gradient + 2 * r * width;
      T *d = gates_gradient + r * 4 * width, *old = state_gradient + 2 * r * width;
      gate.load(a + r * 4 * width, b + r * 4 * width, c);
      for (std::size_t j = 0; j < width; ++j) {
        const T i = gate.i[j], f = gate.f[j], g = gate.g[j], o = gate.o[j], y = gate.cell_out[j];
        const T dc = dh[width + j] + dh[j] * o * (1 - y * y);
        d[j] = dc * g * i * (1 - i);
        d[width + j] = dc * c[j] * f * (1 - f);
        d[2 * width + j] = dc * i * (1 - g * g);
        d[3 * width + j] = dh[j] * y * o * (1 - o);
        old[j] = 0;
        old[width + j] = dc * f;
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
