#include "fgnn/kernels/gather_gemm.h"

#include <algorithm>

#include "fgnn/core/simd.h"
#include "fgnn/kernels/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/gather_gemm.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/kernels/tile-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// kRows rows by kN vectors of C in registers. C may end inside them: it is then read and written by
// way of a block of the whole size.
template <std::size_t kN, class T>
class Tile {
 public:
  Tile(std::size_t rows, std::size_t width, std::size_t ldc)
      : rows_(rows), width_(width), ldc_(ldc), whole_(rows == kRows && width == kN * lanes()) {}

  // Every row from `from`, or from zeros where that is null.
  HWY_INLINE void begin(const T* from) {
    HWY_ALIGN T padded[kN * HWY_MAX_BYTES / sizeof(T)] = {};
    if (from != nullptr) std::copy_n(from, width_, padded);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kN; ++j) sum_[i][j] = hn::Load(d_, padded + j * lanes());
    }
  }
  HWY_INLINE void load(const T* c) {
    if (whole_) {
      for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kN; ++j) sum_[i][j] = hn::LoadU(d_, c + i * ldc_ + j * lanes());
      }
      return;
    }
    HWY_ALIGN T block[kRows * kN * HWY_MAX_BYTES / sizeof(T)] = {};
    const std::size_t wide = kN * lanes();
    for (std::size_t i = 0; i < rows_; ++i) std::copy_n(c + i * ldc_, width_, block + i * wide);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kN; ++j) {
        sum_[i][j] = hn::Load(d_, block + i * wide + j * lanes());
      }
    }
  }
  // The product of a column of six numbers x(i) and a row of B.
  template <class X>
  HWY_INLINE void add(X x, const T* b) {
    hn::Vec<hn::ScalableTag<T>> row[kN];
    for (std::size_t j = 0; j < kN; ++j) row[j] = hn::Load(d_, b + j * lanes());
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto factor = hn::Set(d_, x(i));
      for (std::size_t j = 0; j < kN; ++j) sum_[i][j] = hn::MulAdd(factor, row[j], sum_[i][j]);
    }
  }
  HWY_INLINE void store(T* c) const {
    if (whole_) {
      for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kN; ++j) hn::StoreU(sum_[i][j], d_, c + i * ldc_ + j * lanes());
      }
      return;
    }
    HWY_ALIGN T block[kRows * kN * HWY_MAX_BYTES / sizeof(T)];
    const std::size_t wide = kN * lanes();
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kN; ++j) {
        hn::Store(sum_[i][j], d_, block + i * wide + j * lanes());
      }
    }
    for (std::size_t i = 0; i < rows_; ++i) std::copy_n(block + i * wide, width_, c + i * ldc_);
  }

  static HWY_INLINE std::size_t lanes() { return hn::Lanes(hn::ScalableTag<T>()); }

 private:
  hn::ScalableTag<T> d_;
  std::size_t rows_, width_, ldc_;
  bool whole_;
  hn::Vec<hn::ScalableTag<T>> sum_[kRows][kN];
};

// Columns j to j + width of B next to each other, with zeros up to whole vectors.
template <class T>
const T* packed(const T* b, std::size_t rows, std::size_t n, std::size_t j, std::size_t width,
                std::size_t wide) {
  thread_local AlignedVector<T> buffer;
  buffer.resize(rows * wide);
  for (std::size_t p = 0; p < rows; ++p) {
    std::copy_n(b + p * n + j, width, buffer.data() + p * wide);
    std::fill_n(buffer.data() + p * wide + width, wide - width, T(0));
  }
  return buffer.data();
}

// Calls body<vectors>(first column, columns, columns in whole vectors) for panels of C.
template <class T, class Body>
void over_panels(std::size_t n, Body body) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  for (std::size_t j = 0; j < n;) {
    const std::size_t left = (n - j + lanes - 1) / lanes;  // vectors
    const std::size_t vectors = left >= kVectors ? kVectors : left >= 2 ? 2 : 1;
    const std::size_t wide = vectors * lanes, width = std::min(wide, n - j);
    if (vectors == kVectors) {
      body(std::integral_constant<std::size_t, kVectors>(), j, width, wide);
    } else if (vectors == 2) {
      body(std::integral_constant<std::size_t, 2>(), j, width, wide);
    } else {
      body(std::integral_constant<std::size_t, 1>(), j, width, wide);
    }
    j += width;
  }
}

template <class T>
void product_of_rows(std::size_t m, std::size_t n, std::size_t segments, std::size_t k, const T* a,
                     const std::size_t* rows, std::size_t step, const T* b, const T* start, T* c) {
  over_panels<T>(n, [&](auto vectors, std::size_t j, std::size_t width, std::size_t wide) {
    const T* panel = packed(b, segments * k, n, j, width, wide);
    for (std::size_t first = 0; first < m; first += kRows) {
      const std::size_t count = std::min(kRows, m - first);
      const T* at[kRows];
      for (std::size_t i = 0; i < kRows; ++i) at[i] = a + rows[first + std::min(i, count - 1)];
      Tile<decltype(vectors)::value, T> tile(count, width, n);
      tile.begin(start == nullptr ? nullptr : start + j);
      const T* row = panel;
      for (std::size_t s = 0; s < segments; ++s) {
        for (std::size_t p = 0; p < k; ++p, row += wide) {
          tile.add([&](std::size_t i) { return at[i][p]; }, row);
        }
        for (const T*& x : at) x += step;
      }
      tile.store(c + first * n + j);
    }
  });
}

template <class T>
void outer_of_rows(std::size_t m, std::size_t n, std::size_t segments, std::size_t count,
                   const T* a, const std::size_t* rows, std::size_t step, const T* b, T* c) {
  over_panels<T>(n, [&](auto vectors, std::size_t j, std::size_t width, std::size_t wide) {
    const T* panel = packed(b, count, n, j, width, wide);
    for (std::size_t s = 0; s < segments; ++s) {
      for (std::size_t first = 0; first < m; first += kRows) {
        const std::size_t height = std::min(kRows, m - first);
        const T* from = a + s * step + first;
        T* to = c + (s * m + first) * n + j;
        Tile<decltype(vectors)::value, T> tile(height, width, n);
        tile.load(to);
        if (height == kRows) {
          for (std::size_t p = 0; p < count; ++p) {
            const T* x = from + rows[p];
            tile.add([&](std::size_t i) { return x[i]; }, panel + p * wide);
          }
        } else {  // no number behind the last
          for (std::size_t p = 0; p < count; ++p) {
            const T* x = from + rows[p];
            tile.add([&](std::size_t i) { return x[i < height ? i : 0]; }, panel + p * wide);
          }
        }
        tile.store(to);
      }
    }
  });
}

// Highway exports functions, not templates.
#define FGNN_EXPORTED(T, Name)                                                                  \
  void GatherProduct##Name(std::size_t m, std::size_t n, std::size_t segments, std::size_t k,   \
                           const T* a, const std::size_t* rows, std::size_t step, const T* b,   \
                           const T* start, T* c) {                                              \
    product_of_rows<T>(m, n, segments, k, a, rows, step, b, start, c);                          \
  }                                                                                             \
  void GatherOuter##Name(std::size_t m, std::size_t n, std::size_t segments, std::size_t count, \
                         const T* a, const std::size_t* rows, std::size_t step, const T* b,     \
                         T* c) {                                                                \
    outer_of_rows<T>(m, n, segments, count, a, rows, step, b, c);                               \
  }
FGNN_EXPORTED(float, Float)
FGNN_EXPORTED(double, Double)
#undef FGNN_EXPORTED

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {

#define FGNN_DISPATCHED(T, Name)                                                                  \
  HWY_EXPORT(GatherProduct##Name);                                                                \
  HWY_EXPORT(GatherOuter##Name);                                                                  \
  template <>                                                                                     \
  void gather_product<T>(std::size_t m, std::size_t n, std::size_t segments, std::size_t k,       \
                         const T* a, const std::size_t* rows, std::size_t step, const T* b,       \
                         const T* start, T* c) {                                                  \
    HWY_DYNAMIC_DISPATCH(GatherProduct##Name)(m, n, segments, k, a, rows, step, b, start, c);     \
  }                                                                                               \
  template <>                                                                                     \
  void gather_outer<T>(std::size_t m, std::size_t n, std::size_t segments, std::size_t count,     \
                       const T* a, const std::size_t* rows, std::size_t step, const T* b, T* c) { \
    HWY_DYNAMIC_DISPATCH(GatherOuter##Name)(m, n, segments, count, a, rows, step, b, c);          \
  }
FGNN_DISPATCHED(float, Float)
FGNN_DISPATCHED(double, Double)
#undef FGNN_DISPATCHED

}  // namespace fgnn::kernels
#endif
