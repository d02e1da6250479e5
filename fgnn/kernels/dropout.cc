#include "fgnn/kernels/dropout.h"

#include <algorithm>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/dropout.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

// The loops are plain: compiled once per instruction set, compilers vectorise them.
HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

constexpr std::size_t kBlock = 256;

// Calls body(first, count, factors) on blocks, with the factor of each of their numbers.
template <class T, class Body>
HWY_INLINE void over_blocks(std::uint64_t key, std::uint32_t below, T scale, std::size_t n,
                            Body body) {
  HWY_ALIGN T factor[kBlock];
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t count = n - first < kBlock ? n - first : kBlock;
    const auto begin = static_cast<std::uint32_t>(first);
    for (std::uint32_t i = 0; i < kBlock; ++i) {
      factor[i] = draw(key, begin + i) >= below ? scale : T(0);
    }
    body(first, count, factor);
  }
}

#define FGNN_LOOPS(T, Name)                                                                    \
  void Drop##Name(const T* HWY_RESTRICT x, std::uint64_t key, std::uint32_t below, T scale,    \
                  T* HWY_RESTRICT out, std::size_t n) {                                        \
    over_blocks(key, below, scale, n, [&](std::size_t first, std::size_t count, const T* by) { \
      for (std::size_t i = 0; i < count; ++i) out[first + i] = x[first + i] * by[i];           \
    });                                                                                        \
  }                                                                                            \
  void DropHere##Name(T* HWY_RESTRICT x, std::uint64_t key, std::uint32_t below, T scale,      \
                      std::size_t n) {                                                         \
    over_blocks(key, below, scale, n, [&](std::size_t first, std::size_t count, const T* by) { \
      for (std::size_t i = 0; i < count; ++i) x[first + i] *= by[i];                           \
    });                                                                                        \
  }
FGNN_LOOPS(float, Float)
FGNN_LOOPS(double, Double)
#undef FGNN_LOOPS

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {

std::uint32_t dropped_below(double share) {
  return static_cast<std::uint32_t>(std::min(share * 0x1p32, 0x1p32 - 1));
}

#define FGNN_EXPORTED(T, Name)                                                                    \
  HWY_EXPORT(Drop##Name);                                                                         \
  HWY_EXPORT(DropHere##Name);                                                                     \
  void drop(const T* x, std::uint64_t key, std::uint32_t below, T scale, T* out, std::size_t n) { \
    HWY_DYNAMIC_DISPATCH(Drop##Name)(x, key, below, scale, out, n);                               \
  }                                                                                               \
  void drop(T* x, std::uint64_t key, std::uint32_t below, T scale, std::size_t n) {               \
    HWY_DYNAMIC_DISPATCH(DropHere##Name)(x, key, below, scale, n);                                \
  }
FGNN_EXPORTED(float, Float)
FGNN_EXPORTED(double, Double)
#undef FGNN_EXPORTED

}  // namespace fgnn::kernels
#endif
