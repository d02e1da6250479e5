#include "fgnn/kernels/pointwise.h"

#include <algorithm>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/pointwise.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/kernels/rows-inl.h"
// clang-format on

// The loops are plain: compiled once per instruction set, compilers vectorise them.
HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

#define FGNN_LOOPS(T, Name)                                                                        \
  void Add##Name(const T* x, T* out, std::size_t n) { add_row(x, out, n); }                        \
  void AddProduct##Name(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, T* HWY_RESTRICT out,     \
                        std::size_t n) {                                                           \
    for (std::size_t i = 0; i < n; ++i) out[i] += x[i] * y[i];                                     \
  }                                                                                                \
  void ProductSum##Name(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, const T* HWY_RESTRICT z, \
                        T* HWY_RESTRICT out, std::size_t n) {                                      \
    if (z == nullptr) {                                                                            \
      for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * y[i];                                    \
    } else {                                                                                       \
      for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * y[i] + z[i];                             \
    }                                                                                              \
  }                                                                                                \
  void Rectify##Name(T* HWY_RESTRICT x, std::size_t n) {                                           \
    for (std::size_t i = 0; i < n; ++i) x[i] = x[i] < 0 ? T(0) : x[i];                             \
  }                                                                                                \
  void KeepAboveZero##Name(const T* HWY_RESTRICT y, T* HWY_RESTRICT x, std::size_t n) {            \
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] > 0 ? x[i] : T(0);                             \
  }                                                                                                \
  void TakeLarger##Name(const T* HWY_RESTRICT x, std::uint8_t slot, T* HWY_RESTRICT best,          \
                        std::uint8_t* HWY_RESTRICT where, std::size_t n) {                         \
    if (where == nullptr) {                                                                        \
      for (std::size_t i = 0; i < n; ++i) {                                                        \
        best[i] = x[i] > best[i] || x[i] != x[i] ? x[i] : best[i];                                 \
      }                                                                                            \
      return;                                                                                      \
    }                                                                                              \
    for (std::size_t i = 0; i < n; ++i) {                                                          \
      const bool take = x[i] > best[i] || x[i] != x[i];                                            \
      best[i] = take ? x[i] : best[i];                                                             \
      where[i] = take ? slot : where[i];                                                           \
    }                                                                                              \
  }                                                                                                \
  void KeepSlot##Name(const std::uint8_t* HWY_RESTRICT where, std::uint8_t slot,                   \
                      const T* HWY_RESTRICT x, T* HWY_RESTRICT out, std::size_t n) {               \
    for (std::size_t i = 0; i < n; ++i) out[i] = where[i] == slot ? x[i] : T(0);                   \
  }
FGNN_LOOPS(float, Float)
FGNN_LOOPS(double, Double)
#undef FGNN_LOOPS

double SumOfSquares(const float* x, std::size_t n) {
  constexpr std::size_t kSums = 32;  // so that the loop vectorises without changing the order
  double part[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) part[k] += static_cast<double>(x[i + k]) * x[i + k];
  }
  for (; i < n; ++i) part[0] += static_cast<double>(x[i]) * x[i];
  double sum = 0;
  for (const double p : part) sum += p;
  return sum;
}

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {

HWY_EXPORT(SumOfSquares);
double sum_of_squares(const float* x, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(SumOfSquares)(x, n);
}

#define FGNN_EXPORTED(T, Name)                                                                   \
  HWY_EXPORT(Add##Name);                                                                         \
  HWY_EXPORT(AddProduct##Name);                                                                  \
  HWY_EXPORT(ProductSum##Name);                                                                  \
  HWY_EXPORT(Rectify##Name);                                                                     \
  HWY_EXPORT(KeepAboveZero##Name);                                                               \
  HWY_EXPORT(TakeLarger##Name);                                                                  \
  HWY_EXPORT(KeepSlot##Name);                                                                    \
  void add(const T* x, T* out, std::size_t n) { HWY_DYNAMIC_DISPATCH(Add##Name)(x, out, n); }    \
  void add_product(const T* x, const T* y, T* out, std::size_t n) {                              \
    HWY_DYNAMIC_DISPATCH(AddProduct##Name)(x, y, out, n);                                        \
  }                                                                                              \
  void product_sum(const T* x, const T* y, const T* z, T* out, std::size_t n) {                  \
    HWY_DYNAMIC_DISPATCH(ProductSum##Name)(x, y, z, out, n);                                     \
  }                                                                                              \
  void rectify(T* x, std::size_t n) { HWY_DYNAMIC_DISPATCH(Rectify##Name)(x, n); }               \
  void keep_above_zero(const T* y, T* x, std::size_t n) {                                        \
    HWY_DYNAMIC_DISPATCH(KeepAboveZero##Name)(y, x, n);                                          \
  }                                                                                              \
  void take_larger(const T* x, std::uint8_t slot, T* best, std::uint8_t* where, std::size_t n) { \
    HWY_DYNAMIC_DISPATCH(TakeLarger##Name)(x, slot, best, where, n);                             \
  }                                                                                              \
  void keep_slot(const std::uint8_t* where, std::uint8_t slot, const T* x, T* out,               \
                 std::size_t n) {                                                                \
    HWY_DYNAMIC_DISPATCH(KeepSlot##Name)(where, slot, x, out, n);                                \
  }
FGNN_EXPORTED(float, Float)
FGNN_EXPORTED(double, Double)
#undef FGNN_EXPORTED

}  // namespace fgnn::kernels
#endif
