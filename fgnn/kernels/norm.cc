#include "fgnn/kernels/norm.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "fgnn/core/parallel.h"
#include "fgnn/core/simd.h"
#include "fgnn/kernels/pieces.h"

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

// dz = gradient, where rectified only of what is above 0; sum += dz, with_x += dz (x - mean)
// inverse. Sums of a few rows are of type T, in `own` (2 n numbers), before they go to the doubles.
template <class T>
void AddProducts(const T* HWY_RESTRICT gradient, const T* HWY_RESTRICT x,
                 const T* HWY_RESTRICT slope, const T* HWY_RESTRICT offset,
                 const T* HWY_RESTRICT mean, const T* HWY_RESTRICT inverse, bool rectify,
                 T* HWY_RESTRICT dz, T* HWY_RESTRICT own, double* HWY_RESTRICT sum,
                 double* HWY_RESTRICT with_x, std::size_t rows, std::size_t n) {
  constexpr std::size_t kFew = 32;
  const auto each_row = [&](auto rectified) {
    T* HWY_RESTRICT own_sum = own;
    T* HWY_RESTRICT own_with_x = own + n;
    for (std::size_t begin = 0; begin < rows; begin += kFew) {
      const std::size_t end = begin + kFew < rows ? begin + kFew : rows;
      for (std::size_t j = 0; j < n; ++j) own_sum[j] = own_with_x[j] = 0;
      for (std::size_t r = begin; r < end; ++r, gradient += n, x += n, dz += n) {
        for (std::size_t j = 0; j < n; ++j) {
          T d = gradient[j];
          if constexpr (rectified) d = x[j] * slope[j] + offset[j] > 0 ? d : T(0);
          dz[j] = d;
          own_sum[j] += d;
          own_with_x[j] += d * ((x[j] - mean[j]) * inverse[j]);
        }
      }
      for (std::size_t j = 0; j < n; ++j) {
        sum[j] += own_sum[j];
        with_x[j] += own_with_x[j];
      }
    }
  };
  rectify ? each_row(std::true_type()) : each_row(std::false_type());
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

#define FGNN_DISPATCH(Name)                      \
  HWY_EXPORT(Name##Float);                       \
  HWY_EXPORT(Name##Double);                      \
  template <class T>                             \
  auto Name() {                                  \
    if constexpr (sizeof(T) == 4) {              \
      return HWY_DYNAMIC_DISPATCH(Name##Float);  \
    } else {                                     \
      return HWY_DYNAMIC_DISPATCH(Name##Double); \
    }                                            \
  }
FGNN_DISPATCH(AddSquares)
FGNN_DISPATCH(Affine)
FGNN_DISPATCH(AddProducts)
FGNN_DISPATCH(Combine)
#undef FGNN_DISPATCH

constexpr std::size_t kGrain = 256;  // rows worth a thread

// Calls body(sums of `size` numbers, first row, end row) on pieces of the rows; the pieces' sums
// are added in order.
template <class Body>
std::vector<double> sum_over_rows(std::size_t begin_row, std::size_t end_row, std::size_t size,
                                  int threads, Body body) {
  const std::size_t rows = end_row - begin_row;
  const std::size_t pieces = piece_count(rows, kGrain, threads);
  std::vector<double> sums(pieces * size);
  over_pieces(rows, kGrain, threads, [&](std::size_t p, std::size_t begin, std::size_t end) {
    body(&sums[p * size], begin_row + begin, begin_row + end);
  });
  for (std::size_t p = 1; p < pieces; ++p) {
    for (std::size_t j = 0; j < size; ++j) sums[j] += sums[p * size + j];
  }
  sums.resize(size);
  return sums;
}

// Calls body(segment, first row, end row) so that long segments are split and short ones spread.
template <class Body>
void over_segments(Segments segments, int threads, Body body) {
  if (segments.count() == 1) {
    const std::size_t first = segments.offset[0];
    parallel_for(threads, segments.offset[1] - first, kGrain,
                 [&](std::size_t begin, std::size_t end) { body(0, first + begin, first + end); });
  } else {
    parallel_for(threads, segments.count(), 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        body(s, segments.offset[s], segments.offset[s + 1]);
      }
    });
  }
}

template <class T>
void finish(Activation activation, const T* residual, T* out, std::size_t n) {
  apply(activation, out, n);
  if (residual == nullptr) return;
  for (std::size_t j = 0; j < n; ++j) out[j] += residual[j];
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
  for (std::size_t j = 0; j < columns; ++j) {
    const double mean = count > 0 ? sums[j] / count : 0;
    const double variance = count > 0 ? std::max(0.0, sums[columns + j] / count - mean * mean) : 0;
    m.mean[j] = static_cast<T>(mean);
    m.inverse[j] = static_cast<T>(1 / std::sqrt(variance + kNormEpsilon));
  }
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
Moments<T> row_moments(const Normalisation<T>& n, int threads) {
  Moments<T> m{std::vector<T>(n.rows), std::vector<T>(n.rows)};
  parallel_for(threads, n.rows, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      double sum = 0, squares = 0;
      for (std::size_t j = 0; j < n.columns; ++j) sum += n.x[r * n.columns + j];
      const double mean = sum / static_cast<double>(n.columns);
      for (std::size_t j = 0; j < n.columns; ++j) {
        const double d = n.x[r * n.columns + j] - mean;
        squares += d * d;
      }
      m.mean[r] = static_cast<T>(mean);
      m.inverse[r] =
          static_cast<T>(1 / std::sqrt(squares / static_cast<double>(n.columns) + kNormEpsilon));
    }
  });
  return m;
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
void normalise_rows(const Normalisation<T>& n, const Moments<T>& moments, T* out, int threads) {
  const std::size_t C = n.columns;
  parallel_for(threads, n.rows, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      for (std::size_t j = 0; j < C; ++j) {
        const T xhat = (n.x[r * C + j] - moments.mean[r]) * moments.inverse[r];
        out[r * C + j] = xhat * n.scale[j] + n.shift[j];
      }
      finish(n.activation, n.residual == nullptr ? nullptr : n.residual + r * C, out + r * C, C);
    }
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
    std::vector<T> other;
    if (!rectify && n.activation != Activation::identity) {
      other.resize((end - begin) * C);
      affine(x, slope.data(), offset.data(), nullptr, false, other.data(), end - begin, C);
      apply(n.activation, other.data(), other.size());
      std::copy_n(gradient, other.size(), own_dz);
      multiply_slope(n.activation, other.data(), own_dz, other.size());
      std::copy_n(own_dz, other.size(), other.data());
      gradient = other.data();
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

template <class T>
void normalise_rows_backward(const Normalisation<T>& n, const Moments<T>& moments,
                             const T* out_gradient, T* dx, T* scale_gradient, T* shift_gradient,
                             int threads) {
  const std::size_t C = n.columns;
  const auto sums = sum_over_rows(
      0, n.rows, 2 * C, threads, [&](double* sum, std::size_t begin, std::size_t end) {
        std::vector<T> xhat(C), dz(C);
        for (std::size_t r = begin; r < end; ++r) {
          double m1 = 0, m2 = 0;
          for (std::size_t j = 0; j < C; ++j) {
            xhat[j] = (n.x[r * C + j] - moments.mean[r]) * moments.inverse[r];
            const T y = apply(n.activation, xhat[j] * n.scale[j] + n.shift[j]);
            dz[j] = out_gradient[r * C + j] * slope(n.activation, y);
            sum[j] += dz[j];
            sum[C + j] += dz[j] * xhat[j];
            m1 += dz[j] * n.scale[j];
            m2 += dz[j] * n.scale[j] * xhat[j];
          }
          m1 /= static_cast<double>(C);
          m2 /= static_cast<double>(C);
          for (std::size_t j = 0; j < C; ++j) {
            dx[r * C + j] =
                static_cast<T>(moments.inverse[r] * (dz[j] * n.scale[j] - m1 - xhat[j] * m2));
          }
        }
      });
  for (std::size_t j = 0; j < C; ++j) {
    shift_gradient[j] = static_cast<T>(sums[j]);
    scale_gradient[j] = static_cast<T>(sums[C + j]);
  }
}

#define FGNN_INSTANTIATE(T)                                                                      \
  template std::vector<double> column_sums<T>(const T*, std::size_t, std::size_t, int);          \
  template Moments<T> moments_of<T>(std::span<const double>, double);                            \
  template Moments<T> segment_moments<T>(const Normalisation<T>&, Segments, int);                \
  template Moments<T> row_moments<T>(const Normalisation<T>&, int);                              \
  template void normalise_columns<T>(const Normalisation<T>&, Segments, const Moments<T>&, T*,   \
                                     int);                                                       \
  template void normalise_rows<T>(const Normalisation<T>&, const Moments<T>&, T*, int);          \
  template std::vector<double> normalise_columns_sums<T>(const Normalisation<T>&, Segments,      \
                                                         const Moments<T>&, const T*, T*, int);  \
  template void normalise_columns_backward<T>(const Normalisation<T>&, Segments,                 \
                                              const Moments<T>&, std::span<const double>,        \
                                              std::span<const double>, T*, int);                 \
  template void normalise_rows_backward<T>(const Normalisation<T>&, const Moments<T>&, const T*, \
                                           T*, T*, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
#endif
