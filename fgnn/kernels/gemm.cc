#include "fgnn/kernels/gemm.h"

#include <algorithm>

#include "fgnn/core/simd.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/bf16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/gemm.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/kernels/tile-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct Operands {
  const T* a;
  std::size_t a_row, a_column;
  const T* b;
  std::size_t ldb, k;
  T* c;
  std::size_t ldc;
  const T* start;  // what C begins with: null for zeros
  std::size_t start_row;
};

// kM rows by kN vectors of C, held in registers over the whole of k.
template <std::size_t kM, std::size_t kN, class T>
HWY_INLINE void tile(const Operands<T>& o) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[kM][kN];
  for (std::size_t i = 0; i < kM; ++i) {
    for (std::size_t j = 0; j < kN; ++j) {
      sum[i][j] =
          o.start != nullptr ? hn::LoadU(d, o.start + i * o.start_row + j * lanes) : hn::Zero(d);
    }
  }
  const T* a = o.a;
  const T* b = o.b;
  for (std::size_t p = 0; p < o.k; ++p, a += o.a_column, b += o.ldb) {
    hn::Vec<decltype(d)> row[kN];
    for (std::size_t j = 0; j < kN; ++j) row[j] = hn::LoadU(d, b + j * lanes);
    for (std::size_t i = 0; i < kM; ++i) {
      const auto x = hn::Set(d, a[i * o.a_row]);
      for (std::size_t j = 0; j < kN; ++j) sum[i][j] = hn::MulAdd(x, row[j], sum[i][j]);
    }
  }
  for (std::size_t i = 0; i < kM; ++i) {
    for (std::size_t j = 0; j < kN; ++j) hn::StoreU(sum[i][j], d, o.c + i * o.ldc + j * lanes);
  }
}

template <std::size_t kN, class T>
void column_of_tiles(std::size_t m, Operands<T> o) {
  for (; m >= kRows; m -= kRows) {
    tile<kRows, kN>(o);
    o.a += kRows * o.a_row;
    o.c += kRows * o.ldc;
    if (o.start != nullptr) o.start += kRows * o.start_row;
  }
  switch (m) {
    case 5:
      return tile<5, kN>(o);
    case 4:
      return tile<4, kN>(o);
    case 3:
      return tile<3, kN>(o);
    case 2:
      return tile<2, kN>(o);
    case 1:
      return tile<1, kN>(o);
    default:
      return;
  }
}

template <class T>
void columns(std::size_t vectors, std::size_t m, const Operands<T>& o) {
#if HWY_TARGET <= HWY_AVX3
  if (vectors == 4) return column_of_tiles<4>(m, o);
  if (vectors == 3) return column_of_tiles<3>(m, o);
#endif
  if (vectors == 2) return column_of_tiles<2>(m, o);
  column_of_tiles<1>(m, o);
}

template <class T>
AlignedVector<T>& scratch() {
  thread_local AlignedVector<T> buffer;
  return buffer;
}

// The last columns, fewer than a vector: on padded copies.
template <class T>
void rest_of_columns(std::size_t m, std::size_t width, Operands<T> o) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto& buffer = scratch<T>();
  buffer.assign(o.k * lanes, T(0));
  for (std::size_t p = 0; p < o.k; ++p) std::copy_n(o.b + p * o.ldb, width, &buffer[p * lanes]);
  HWY_ALIGN T block[kRows * HWY_MAX_BYTES / sizeof(T)];
  Operands<T> padded = o;
  padded.b = buffer.data();
  padded.ldb = padded.ldc = lanes;
  padded.c = block;
  padded.start = nullptr;
  for (std::size_t i = 0; i < m; i += kRows) {
    const std::size_t rows = std::min(kRows, m - i);
    padded.a = o.a + i * o.a_row;
    column_of_tiles<1>(rows, padded);
    for (std::size_t r = 0; r < rows; ++r) {
      T* c = o.c + (i + r) * o.ldc;
      const T* start = o.start == nullptr ? nullptr : o.start + (i + r) * o.start_row;
      for (std::size_t j = 0; j < width; ++j) {
        c[j] = (start != nullptr ? start[j] : T(0)) + block[r * lanes + j];
      }
    }
  }
}

template <class T>
void product_of_block(std::size_t m, std::size_t n, Operands<T> o) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), panel = kVectors * lanes;
  // Rows of a wide B fall on few cache sets: copied next to each other if enough rows of A come by.
  const bool pack = n > panel && m >= 4 * kRows && o.k > 16;
  std::size_t j = 0;
  const T* b = o.b;
  T* c = o.c;
  for (; j + lanes <= n;) {
    const std::size_t vectors = std::min(kVectors, (n - j) / lanes);
    Operands<T> part = o;
    part.b = b + j;
    part.c = c + j;
    if (o.start != nullptr) part.start = o.start + j;
    if (pack) {
      auto& buffer = scratch<T>();
      buffer.resize(o.k * panel);
      for (std::size_t p = 0; p < o.k; ++p) {
        std::copy_n(b + p * o.ldb + j, vectors * lanes, &buffer[p * vectors * lanes]);
      }
      part.b = buffer.data();
      part.ldb = vectors * lanes;
    }
    columns(vectors, m, part);
    j += vectors * lanes;
  }
  if (j == n) return;
  o.b = b + j;
  o.c = c + j;
  if (o.start != nullptr) o.start += j;
  rest_of_columns(m, n - j, o);
}

// A long sum in pieces, so that the panel of B that rows of A come by stays in the first cache.
template <class T>
void product(std::size_t m, std::size_t n, Operands<T> o) {
  constexpr std::size_t kLongest = 2048 / sizeof(T);
  std::size_t left = o.k;
  while (left > 2 * kLongest) {
    o.k = kLongest;
    product_of_block(m, n, o);
    left -= kLongest;
    o.a += kLongest * o.a_column;
    o.b += kLongest * o.ldb;
    o.start = o.c;
    o.start_row = o.ldc;
  }
  o.k = left;
  product_of_block(m, n, o);
}

// A square of as many numbers as a small vector has on each side.
#if HWY_TARGET == HWY_SCALAR
template <class T>
constexpr std::size_t kSquare = 1;
template <class T>
HWY_INLINE void transpose_square(const T* in, std::size_t, T* out, std::size_t) {
  *out = *in;
}
#else
template <class T>
constexpr std::size_t kSquare = 16 / sizeof(T);
HWY_INLINE void transpose_square(const float* in, std::size_t columns, float* out,
                                 std::size_t rows) {
  const hn::FixedTag<float, 4> d;
  const auto r0 = hn::LoadU(d, in), r1 = hn::LoadU(d, in + columns);
  const auto r2 = hn::LoadU(d, in + 2 * columns), r3 = hn::LoadU(d, in + 3 * columns);
  const auto low01 = hn::InterleaveLower(d, r0, r1), low23 = hn::InterleaveLower(d, r2, r3);
  const auto up01 = hn::InterleaveUpper(d, r0, r1), up23 = hn::InterleaveUpper(d, r2, r3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, out);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, out + rows);
  hn::StoreU(hn::ConcatLowerLower(d, up23, up01), d, out + 2 * rows);
  hn::StoreU(hn::ConcatUpperUpper(d, up23, up01), d, out + 3 * rows);
}
HWY_INLINE void transpose_square(const double* in, std::size_t columns, double* out,
                                 std::size_t rows) {
  const hn::FixedTag<double, 2> d;
  const auto r0 = hn::LoadU(d, in), r1 = hn::LoadU(d, in + columns);
  hn::StoreU(hn::InterleaveLower(d, r0, r1), d, out);
  hn::StoreU(hn::InterleaveUpper(d, r0, r1), d, out + rows);
}

#endif

template <class T>
void turn(const T* in, std::size_t rows, std::size_t columns, T* out) {
  // In blocks whose lines of both sides stay in the cache: a wide matrix read or written across its
  // rows would fetch a line for every number.
  constexpr std::size_t side = 16, square = kSquare<T>;
  for (std::size_t top = 0; top < rows; top += side) {
    const std::size_t bottom = std::min(top + side, rows);
    for (std::size_t left = 0; left < columns; left += side) {
      const std::size_t right = std::min(left + side, columns);
      if (bottom - top == side && right - left == side) {
        for (std::size_t i = top; i < bottom; i += square) {
          for (std::size_t j = left; j < right; j += square) {
            transpose_square(in + i * columns + j, columns, out + j * rows + i, rows);
          }
        }
        continue;
      }
      for (std::size_t j = left; j < right; ++j) {
        for (std::size_t i = top; i < bottom; ++i) out[j * rows + i] = in[i * columns + j];
      }
    }
  }
}

void TransposeFloat(const float* in, std::size_t rows, std::size_t columns, float* out) {
  turn(in, rows, columns, out);
}
void TransposeDouble(const double* in, std::size_t rows, std::size_t columns, double* out) {
  turn(in, rows, columns, out);
}

void ProductFloat(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_row,
                  std::size_t a_column, const float* b, std::size_t ldb, float* c, std::size_t ldc,
                  bool accumulate, const float* start) {
  product<float>(
      m, n, {a, a_row, a_column, b, ldb, k, c, ldc, accumulate ? c : start, accumulate ? ldc : 0});
}
void ProductDouble(std::size_t m, std::size_t n, std::size_t k, const double* a, std::size_t a_row,
                   std::size_t a_column, const double* b, std::size_t ldb, double* c,
                   std::size_t ldc, bool accumulate, const double* start) {
  product<double>(
      m, n, {a, a_row, a_column, b, ldb, k, c, ldc, accumulate ? c : start, accumulate ? ldc : 0});
}

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {

HWY_EXPORT(ProductFloat);
HWY_EXPORT(ProductDouble);
HWY_EXPORT(TransposeFloat);
HWY_EXPORT(TransposeDouble);

template <>
void transpose<float>(const float* in, std::size_t rows, std::size_t columns, float* out) {
  HWY_DYNAMIC_DISPATCH(TransposeFloat)(in, rows, columns, out);
}
template <>
void transpose<double>(const double* in, std::size_t rows, std::size_t columns, double* out) {
  HWY_DYNAMIC_DISPATCH(TransposeDouble)(in, rows, columns, out);
}

template <>
void gemm<float>(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_row,
                 std::size_t a_column, const float* b, std::size_t ldb, float* c, std::size_t ldc,
                 bool accumulate, const float* start) {
  if (products_here() == Products::bf16 && suits_bf16(m, n, k)) {
    return gemm_bf16(m, n, k, a, a_row, a_column, b, ldb, c, ldc, accumulate, start);
  }
  HWY_DYNAMIC_DISPATCH(ProductFloat)
  (m, n, k, a, a_row, a_column, b, ldb, c, ldc, accumulate, start);
}
template <>
void gemm<double>(std::size_t m, std::size_t n, std::size_t k, const double* a, std::size_t a_row,
                  std::size_t a_column, const double* b, std::size_t ldb, double* c,
                  std::size_t ldc, bool accumulate, const double* start) {
  HWY_DYNAMIC_DISPATCH(ProductDouble)
  (m, n, k, a, a_row, a_column, b, ldb, c, ldc, accumulate, start);
}

}  // namespace fgnn::kernels
#endif
