#include "fgnn/kernels/norm.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "fgnn/core/parallel.h"
#include "fgnn/core/simd.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/dispatch.h"
#include "fgnn/kernels/sums_of_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/norm.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

// The loops below are plain: compiled once per instruction set, compilers vectorise them.
HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

// sum += x, squares += x^2
template <class T>
void AddSquares(const T* HWY_RESTRICT x, double* HWY_RESTRICT sum, double* HWY_RESTRICT squares,
                std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const double v = x[j];
    sum[j] += v;
    squares[j] += v * v;
  }
}

// out = x slope + offset (by column), rectified where asked for, plus residual where there is one
template <class T>
void Affine(const T* HWY_RESTRICT x, const T* HWY_RESTRICT slope, const T* HWY_RESTRICT offset,
            const T* HWY_RESTRICT residual, bool rectify, T* HWY_RESTRICT out, std::size_t rows,
            std::size_t n) {
  const auto each_row = [&](auto rectified, auto with_residual) {
    for (std::size_t r = 0; r < rows; ++r, x += n, out += n) {
      for (std::size_t j = 0; j < n; ++j) {
        T z = x[j] * slope[j] + offset[j];
        if constexpr (rectified) z = z < 0 ? T(0) : z;
        if constexpr (with_residual) z += residual[j];
        out[j] = z;
      }
      if constexpr (with_residual) residual += n;
    }
  };
  const std::true_type yes;
  const std::false_type no;
  if (rectify) {
    residual != nullptr ? each_row(yes, yes) : each_row(yes, no);
  } else {
    residual != nullptr ? each_row(no, yes) : each_row(no, no);
  }
}

// dz = gradient, where rectified only of what is above 0, or what it is where `gradient` is null;
// sum += dz, with_x += dz (x - mean) inverse. Sums of a few rows are of type T, in `own` (2 n
// numbers), before they go to the doubles.
template <class T>
void AddProducts(const T* HWY_RESTRICT gradient, const T* HWY_RESTRICT x,
                 const T* HWY_RESTRICT slope, const T* HWY_RESTRICT offset,
                 const T* HWY_RESTRICT mean, const T* HWY_RESTRICT inverse, bool rectify,
                 T* HWY_RESTRICT dz, T* HWY_RESTRICT own, double* HWY_RESTRICT sum,
                 double* HWY_RESTRICT with_x, std::size_t rows, std::size_t n) {
  constexpr std::size_t kFew = 32;
  const auto each_row = [&](auto given, auto rectified) {
    T* HWY_RESTRICT own_sum = own;
    T* HWY_RESTRICT own_with_x = own + n;
    for (std::size_t begin = 0; begin < rows; begin += kFew) {
      const std::size_t end = begin + kFew < rows ? begin + kFew : rows;
      for (std::size_t j = 0; j < n; ++j) own_sum[j] = own_with_x[j] = 0;
      for (std::size_t r = begin; r < end; ++r, x += n, dz += n) {
        for (std::size_t j = 0; j < n; ++j) {
          T d;
          if constexpr (given) {
            d = gradient[j];
            if constexpr (rectified) d = x[j] * slope[j] + offset[j] > 0 ? d : T(0);
            dz[j] = d;
          } else {
            d = dz[j];
          }
          own_sum[j] += d;
          own_with_x[j] += d * ((x[j] - mean[j]) * inverse[j]);
        }
        if constexpr (given) gradient += n;
      }
      for (std::size_t j = 0; j < n; ++j) {
        sum[j] += own_sum[j];
        with_x[j] += own_with_x[j];
      }
    }
  };
  const std::true_type yes;
  const std::false_type no;
  if (gradient == nullptr) {
    each_row(no, no);
  } else {
    rectify ? each_row(yes, yes) : each_row(yes, no);
  }
}

// Means and 1 / sqrt(variance + eps) of sums over `count` rows.
template <class T>
void FromSums(const double* HWY_RESTRICT sum, const double* HWY_RESTRICT squares, double count,
              T* HWY_RESTRICT mean, T* HWY_RESTRICT inverse, std::size_t n) {
  const double share = 1 / count;
  for (std::size_t j = 0; j < n; ++j) {
    const double m = sum[j] * share, v = squares[j] * share - m * m;
    mean[j] = static_cast<T>(m);
    inverse[j] = 1 / std::sqrt(static_cast<T>((v > 0 ? v : 0) + kNormEpsilon));
  }
}

// dz = a dz + b x + c (by column)
template <class T>
void Combine(T* HWY_RESTRICT dz, const T* HWY_RESTRICT x, const T* HWY_RESTRICT a,
             const T* HWY_RESTRICT b, const T* HWY_RESTRICT c, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) dz[j] = a[j] * dz[j] + b[j] * x[j] + c[j];
}

#define FGNN_EXPORTED(T, Name)                                                                     \
  void AddSquares##Name(const T* x, double* sum, double* squares, std::size_t n) {                 \
    AddSquares<T>(x, sum, squares, n);                                                             \
  }                                                                                                \
  void Affine##Name(const T* x, const T* slope, const T* offset, const T* residual, bool rectify,  \
                    T* out, std::size_t rows, std::size_t n) {                                     \
    Affine<T>(x, slope, offset, residual, rectify, out, rows, n);                                  \
  }                                                                                                \
  void AddProducts##Name(const T* gradient, const T* x, const T* slope, const T* offset,           \
                         const T* mean, const T* inverse, bool rectify, T* dz, T* own,             \
                         double* sum, double* with_x, std::size_t rows, std::size_t n) {           \
    AddProducts<T>(gradient, x, slope, offset, mean, inverse, rectify, dz, own, sum, with_x, rows, \
                   n);                                                                             \
  }                                                                                                \
  void FromSums##Name(const double* sum, const double* squares, double count, T* mean, T* inverse, \
                      std::size_t n) {                                                             \
    FromSums<T>(sum, squares, count, mean, inverse, n);                                            \
  }                                                                                                \
  void Combine##Name(T* dz, const T* x, const T* a, const T* b, const T* c, std::size_t n) {       \
    Combine<T>(dz, x, a, b, c, n);                                                                 \
  }
FGNN_EXPORTED(float, Float)
FGNN_EXPORTED(double, Double)
#undef FGNN_EXPORTED

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {
namespace {

FGNN_DISPATCH(AddSquares)
FGNN_DISPATCH(Affine)
FGNN_DISPATCH(AddProducts)
FGNN_DISPATCH(Combine)
FGNN_DISPATCH(FromSums)

// Calls body(segment, first row, end row) so that long segments are split and short ones spread.
template <class Body>
void over_segments(Segments segments, int threads, Body body) {
  if (segments.count() == 1) {
    const std::size_t first = segments.offset[0];
    parallel_for(threads, segments.offset[1] - first, kRowGrain,
                 [&](std::size_t begin, std::size_t end) { body(0, first + begin, first + end); });
  } else {
    parallel_for(threads, segments.count(), 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        body(s, segments.offset[s], segments.offset[s + 1]);
      }
    });
  }
}

// Room for a row, kept by each thread.
template <class T>
T* row_room(std::size_t columns) {
  thread_local AlignedVector<T> room;
  if (room.size() < columns) room.resize(columns);
  return room.data();
}

template <class T>
void finish(Activation activation, const T* residual, T* out, std::size_t n) {
  apply(activation, out, n);
  if (residual != nullptr) add(residual, out, n);
}

}  // namespace

template <class T>
std::vector<double> column_sums(const T* x, std::size_t rows, std::size_t columns, int threads) {
  const auto add = AddSquares<T>();
  return sum_over_rows(0, rows, 2 * columns, threads,
                       [&](double* sums, std::size_t begin, std::size_t end) {
                         for (std::size_t r = begin; r < end; ++r) {
                           add(x + r * columns, sums, sums + columns, columns);
                         }
                       });
}

// The variance as E[x^2] - E[x]^2, so that one pass over the rows is enough and sums of parts can
// be added up. That cancels where the mean is k times the deviation, and leaves k^2 2^-53 of error
// relative to the variance: squares of floats are exact in double. The numbers themselves were
// rounded by k 2^-24 of the deviation when they became floats, which is more for every k below
// 2^29, where nothing is left of the variance in floats either.
template <class T>
Moments<T> moments_of(std::span<const double> sums, double count) {
  const std::size_t columns = sums.size() / 2;
  Moments<T> m{std::vector<T>(columns), std::vector<T>(columns)};
  FromSums<T>()(sums.data(), sums.data() + columns, std::max(count, 1.0), m.mean.data(),
                m.inverse.data(), columns);
  return m;
}

template <class T>
Moments<T> segment_moments(const Normalisation<T>& n, Segments segments, int threads) {
  Moments<T> all{std::vector<T>(segments.count() * n.columns),
                 std::vector<T>(segments.count() * n.columns)};
  parallel_for(threads, segments.count(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const std::size_t rows = segments.offset[s + 1] - segments.offset[s];
      const auto sums = column_sums(n.x + segments.offset[s] * n.columns, rows, n.columns, 1);
      const auto m = moments_of<T>(sums, static_cast<double>(rows));
      std::copy(m.mean.begin(), m.mean.end(), all.mean.begin() + s * n.columns);
      std::copy(m.inverse.begin(), m.inverse.end(), all.inverse.begin() + s * n.columns);
    }
  });
  return all;
}

template <class T>
void normalise_columns(const Normalisation<T>& n, Segments segments, const Moments<T>& moments,
                       T* out, int threads) {
  const std::size_t C = n.columns;
  const auto affine = Affine<T>();
  over_segments(segments, threads, [&](std::size_t s, std::size_t begin, std::size_t end) {
    std::vector<T> slope(C), offset(C);
    for (std::size_t j = 0; j < C; ++j) {
      slope[j] = n.scale[j] * moments.inverse[s * C + j];
      offset[j] = n.shift[j] - moments.mean[s * C + j] * slope[j];
    }
    const T* residual = n.residual == nullptr ? nullptr : n.residual + begin * C;
    const bool rectify = n.activation == Activation::relu;
    const bool at_once = rectify || n.activation == Activation::identity;
    affine(n.x + begin * C, slope.data(), offset.data(), at_once ? residual : nullptr, rectify,
           out + begin * C, end - begin, C);
    if (!at_once) finish(n.activation, residual, out + begin * C, (end - begin) * C);
  });
}

template <class T>
std::vector<double> normalise_columns_sums(const Normalisation<T>& n, Segments segments,
                                           const Moments<T>& moments, const T* out_gradient, T* dz,
                                           int threads) {
  const std::size_t C = n.columns;
  const auto affine = Affine<T>();
  const auto add = AddProducts<T>();
  std::vector<double> all(segments.count() * 2 * C);
  const auto rows_of = [&](std::size_t s, double* sums, std::size_t begin, std::size_t end) {
    std::vector<T> slope(C), offset(C), z(2 * C);
    for (std::size_t j = 0; j < C; ++j) {
      slope[j] = n.scale[j] * moments.inverse[s * C + j];
      offset[j] = n.shift[j] - moments.mean[s * C + j] * slope[j];
    }
    const T *x = n.x + begin * C, *gradient = out_gradient + begin * C;
    T* own_dz = dz + begin * C;
    const bool rectify = n.activation == Activation::relu;
    if (!rectify && n.activation != Activation::identity) {
      T* y = row_room<T>(C);
      for (std::size_t r = 0; r < end - begin; ++r) {
        affine(x + r * C, slope.data(), offset.data(), nullptr, false, y, 1, C);
        apply(n.activation, y, C);
        std::copy_n(gradient + r * C, C, own_dz + r * C);
        multiply_slope(n.activation, y, own_dz + r * C, C);
      }
      gradient = nullptr;
    }
    add(gradient, x, slope.data(), offset.data(), &moments.mean[s * C], &moments.inverse[s * C],
        rectify, own_dz, z.data(), sums, sums + C, end - begin, C);
  };
  if (segments.count() == 1) {
    return sum_over_rows(
        segments.offset[0], segments.offset[1], 2 * C, threads,
        [&](double* sums, std::size_t begin, std::size_t end) { rows_of(0, sums, begin, end); });
  }
  over_segments(segments, threads, [&](std::size_t s, std::size_t begin, std::size_t end) {
    rows_of(s, &all[s * 2 * C], begin, end);
  });
  return all;
}

template <class T>
void normalise_columns_backward(const Normalisation<T>& n, Segments segments,
                                const Moments<T>& moments, std::span<const double> sums,
                                std::span<const double> counts, T* dz, int threads) {
  const std::size_t C = n.columns;
  const auto combine = Combine<T>();
  over_segments(segments, threads, [&](std::size_t s, std::size_t begin, std::size_t end) {
    // dx = k (dz - m1 - xhat m2) with xhat = (x - mean) inverse, as a dz + b x + c.
    std::vector<T> a(C), b(C), c(C);
    for (std::size_t j = 0; j < C; ++j) {
      const double inverse = moments.inverse[s * C + j], k = n.scale[j] * inverse;
      const double m1 = counts[s] > 0 ? sums[s * 2 * C + j] / counts[s] : 0;
      const double m2 = counts[s] > 0 ? sums[s * 2 * C + C + j] / counts[s] : 0;
      a[j] = static_cast<T>(k);
      b[j] = static_cast<T>(-k * inverse * m2);
      c[j] = static_cast<T>(-k * (m1 - moments.mean[s * C + j] * inverse * m2));
    }
    for (std::size_t r = begin; r < end; ++r) {
      combine(dz + r * C, n.x + r * C, a.data(), b.data(), c.data(), C);
    }
  });
}

#define FGNN_INSTANTIATE(T)                                                                     \
  template std::vector<double> column_sums<T>(const T*, std::size_t, std::size_t, int);         \
  template Moments<T> moments_of<T>(std::span<const double>, double);                           \
  template Moments<T> segment_moments<T>(const Normalisation<T>&, Segments, int);               \
  template void normalise_columns<T>(const Normalisation<T>&, Segments, const Moments<T>&, T*,  \
                                     int);                                                      \
  template std::vector<double> normalise_columns_sums<T>(const Normalisation<T>&, Segments,     \
                                                         const Moments<T>&, const T*, T*, int); \
  template void normalise_columns_backward<T>(const Normalisation<T>&, Segments,                \
                                              const Moments<T>&, std::span<const double>,       \
                                              std::span<const double>, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
#endif
