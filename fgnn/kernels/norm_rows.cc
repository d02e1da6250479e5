// Moments of each row over its columns: kernels/norm.h.
#include <cmath>

#include "fgnn/core/simd.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/dispatch.h"
#include "fgnn/kernels/norm.h"
#include "fgnn/kernels/sums_of_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/norm_rows.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

// The loops are plain: compiled once per instruction set, compilers vectorise them.
HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

// term(0) + … + term(n - 1): so many sums side by side that the loop vectorises without changing
// the order.
template <class Term>
HWY_INLINE double Sum(std::size_t n, Term term) {
  constexpr std::size_t kSums = 16;
  double part[kSums] = {};
  std::size_t j = 0;
  for (; j + kSums <= n; j += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) part[k] += term(j + k);
  }
  for (std::size_t k = 0; j < n; ++j, ++k) part[k] += term(j);
  double sum = 0;
  for (const double p : part) sum += p;
  return sum;
}

template <class T>
void RowMoments(const T* HWY_RESTRICT x, T* HWY_RESTRICT mean, T* HWY_RESTRICT inverse,
                std::size_t rows, std::size_t n) {
  const auto columns = static_cast<double>(n);
  for (std::size_t r = 0; r < rows; ++r, x += n) {
    const double m = Sum(n, [&](std::size_t j) { return static_cast<double>(x[j]); }) / columns;
    const double squares = Sum(n, [&](std::size_t j) { return (x[j] - m) * (x[j] - m); });
    mean[r] = static_cast<T>(m);
    inverse[r] = static_cast<T>(1 / std::sqrt(squares / columns + kNormEpsilon));
  }
}

// out = scale (x - mean) inverse + shift
template <class T>
void AffineRow(const T* HWY_RESTRICT x, T mean, T inverse, const T* HWY_RESTRICT scale,
               const T* HWY_RESTRICT shift, T* HWY_RESTRICT out, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) out[j] = (x[j] - mean) * inverse * scale[j] + shift[j];
}

// From dz to dx, in its place; sum += dz, with_x += dz xhat. `xhat` is room for a row.
template <class T>
void RowBackward(const T* HWY_RESTRICT x, T mean, T inverse, const T* HWY_RESTRICT scale,
                 T* HWY_RESTRICT dz, T* HWY_RESTRICT xhat, double* HWY_RESTRICT sum,
                 double* HWY_RESTRICT with_x, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    xhat[j] = (x[j] - mean) * inverse;
    sum[j] += dz[j];
    with_x[j] += dz[j] * xhat[j];
    dz[j] *= scale[j];
  }
  const auto columns = static_cast<double>(n);
  const auto m1 = static_cast<T>(Sum(n, [&](std::size_t j) { return dz[j]; }) / columns);
  const auto m2 = static_cast<T>(Sum(n, [&](std::size_t j) { return dz[j] * xhat[j]; }) / columns);
  for (std::size_t j = 0; j < n; ++j) dz[j] = inverse * (dz[j] - m1 - xhat[j] * m2);
}

#define FGNN_EXPORTED(T, Name)                                                                \
  void RowMoments##Name(const T* x, T* mean, T* inverse, std::size_t rows, std::size_t n) {   \
    RowMoments<T>(x, mean, inverse, rows, n);                                                 \
  }                                                                                           \
  void AffineRow##Name(const T* x, T mean, T inverse, const T* scale, const T* shift, T* out, \
                       std::size_t n) {                                                       \
    AffineRow<T>(x, mean, inverse, scale, shift, out, n);                                     \
  }                                                                                           \
  void RowBackward##Name(const T* x, T mean, T inverse, const T* scale, T* dz, T* xhat,       \
                         double* sum, double* with_x, std::size_t n) {                        \
    RowBackward<T>(x, mean, inverse, scale, dz, xhat, sum, with_x, n);                        \
  }
FGNN_EXPORTED(float, Float)
FGNN_EXPORTED(double, Double)
#undef FGNN_EXPORTED

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {
namespace {

FGNN_DISPATCH(RowMoments)
FGNN_DISPATCH(AffineRow)
FGNN_DISPATCH(RowBackward)

}  // namespace

template <class T>
Moments<T> row_moments(const Normalisation<T>& n, int threads) {
  Moments<T> m{std::vector<T>(n.rows), std::vector<T>(n.rows)};
  parallel_for(threads, n.rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
    RowMoments<T>()(n.x + begin * n.columns, &m.mean[begin], &m.inverse[begin], end - begin,
                    n.columns);
  });
  return m;
}

template <class T>
void normalise_rows(const Normalisation<T>& n, const Moments<T>& moments, T* out, int threads) {
  const std::size_t C = n.columns;
  const auto affine = AffineRow<T>();
  parallel_for(threads, n.rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      affine(n.x + r * C, moments.mean[r], moments.inverse[r], n.scale, n.shift, out + r * C, C);
    }
    apply(n.activation, out + begin * C, (end - begin) * C);
    if (n.residual != nullptr) add(n.residual + begin * C, out + begin * C, (end - begin) * C);
  });
}

template <class T>
void normalise_rows_backward(const Normalisation<T>& n, const Moments<T>& moments,
                             const T* out_gradient, T* dx, T* scale_gradient, T* shift_gradient,
                             int threads) {
  const std::size_t C = n.columns;
  const auto affine = AffineRow<T>();
  const auto back = RowBackward<T>();
  const auto sums = sum_over_rows(
      0, n.rows, 2 * C, threads, [&](double* sum, std::size_t begin, std::size_t end) {
        AlignedVector<T> room(C);
        for (std::size_t r = begin; r < end; ++r) {
          const T *x = n.x + r * C, mean = moments.mean[r], inverse = moments.inverse[r];
          T* dz = dx + r * C;
          std::copy_n(out_gradient + r * C, C, dz);
          if (n.activation != Activation::identity) {
            affine(x, mean, inverse, n.scale, n.shift, room.data(), C);
            apply(n.activation, room.data(), C);
            multiply_slope(n.activation, room.data(), dz, C);
          }
          back(x, mean, inverse, n.scale, dz, room.data(), sum, sum + C, C);
        }
      });
  for (std::size_t j = 0; j < C; ++j) {
    shift_gradient[j] = static_cast<T>(sums[j]);
    scale_gradient[j] = static_cast<T>(sums[C + j]);
  }
}

#define FGNN_INSTANTIATE(T)                                                                      \
  template Moments<T> row_moments<T>(const Normalisation<T>&, int);                              \
  template void normalise_rows<T>(const Normalisation<T>&, const Moments<T>&, T*, int);          \
  template void normalise_rows_backward<T>(const Normalisation<T>&, const Moments<T>&, const T*, \
                                           T*, T*, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
#endif
