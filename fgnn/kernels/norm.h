// Normalisation with what surrounds it in a residual network, in one pass over memory:
//
//   out = act( scale (x - mean) / sqrt(var + eps) + shift ) + residual
//
// The moments are those of each column over all rows (batch), of each column over the rows of one
// graph (instance), or of each row over its columns (layer). Batch moments are computed apart, so
// that several processes can add theirs up, and evaluation can use remembered ones.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fgnn/kernels/activation.h"

namespace fgnn::kernels {

inline constexpr double kNormEpsilon = 1e-5;

// Sums of columns, in double: sum x and sum x^2, 2 * columns numbers, added in a fixed order.
template <class T>
std::vector<double> column_sums(const T* x, std::size_t rows, std::size_t columns, int threads);

// Which rows share their moments: segment s is rows offset[s] .. offset[s + 1].
struct Segments {
  std::span<const std::size_t> offset;
  std::size_t count() const { return offset.size() - 1; }
};

template <class T>
struct Normalisation {
  const T* x = nullptr;
  std::size_t rows = 0, columns = 0;
  const T* scale = nullptr;     // columns
  const T* shift = nullptr;     // columns
  const T* residual = nullptr;  // rows x columns, or null
  Activation activation = Activation::identity;
};

// Mean and 1 / sqrt(var + eps): one pair per segment and column, or per row.
template <class T>
struct Moments {
  std::vector<T> mean, inverse;
};

// From column sums over `count` rows (of all processes).
template <class T>
Moments<T> moments_of(std::span<const double> sums, double count);
template <class T>
Moments<T> segment_moments(const Normalisation<T>& n, Segments segments, int threads);
template <class T>
Moments<T> row_moments(const Normalisation<T>& n, int threads);

// Moments by column for each segment (a single segment for batch).
template <class T>
void normalise_columns(const Normalisation<T>& n, Segments segments, const Moments<T>& moments,
                       T* out, int threads);
template <class T>
void normalise_rows(const Normalisation<T>& n, const Moments<T>& moments, T* out, int threads);

// The backward pass of columns, in two steps with a sum over processes between them:
// 1. dz, the gradient before the activation, and per segment and column sum dz and sum dz xhat;
// 2. dx = scale inverse (dz - (sum dz + xhat sum dz xhat) / count), in place of dz; with count = 0
//    the moments are constants and dx = scale inverse dz.
// The gradients of shift and scale are the sums of 1. over the segments.
template <class T>
std::vector<double> normalise_columns_sums(const Normalisation<T>& n, Segments segments,
                                           const Moments<T>& moments, const T* out_gradient, T* dz,
                                           int threads);
template <class T>
void normalise_columns_backward(const Normalisation<T>& n, Segments segments,
                                const Moments<T>& moments, std::span<const double> sums,
                                std::span<const double> counts, T* dz, int threads);

// Rows: both steps at once; scale_gradient and shift_gradient are overwritten.
template <class T>
void normalise_rows_backward(const Normalisation<T>& n, const Moments<T>& moments,
                             const T* out_gradient, T* dx, T* scale_gradient, T* shift_gradient,
                             int threads);

}  // namespace fgnn::kernels
