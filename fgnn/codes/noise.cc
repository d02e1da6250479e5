#include "fgnn/codes/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/codes/noise.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// radius = sqrt(-2 log u), angle = 2 pi v with u in (0, 1], v in [-1/2, 1/2).
void NormalPairs(const std::uint32_t* HWY_RESTRICT low, const std::int32_t* HWY_RESTRICT high,
                 float* HWY_RESTRICT first, float* HWY_RESTRICT second, std::size_t padded) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  for (std::size_t i = 0; i < padded; i += hn::Lanes(d)) {
    // From 0 … 2^32-1 to (0, 1]: the upper 31 bits are a signed number that converts exactly where
    // it is small, which is where the logarithm looks.
    const auto bits = hn::Load(hn::RebindToUnsigned<decltype(d)>(), low + i);
    const auto upper = hn::ConvertTo(d, hn::BitCast(whole, hn::ShiftRight<1>(bits)));
    const auto u = hn::Mul(hn::Add(upper, hn::Set(d, 0.5f)), hn::Set(d, 0x1p-31f));
    const auto log_u = hn::Min(hn::Log(d, u), hn::Zero(d));
    const auto radius = hn::Sqrt(hn::Mul(hn::Set(d, -2.0f), log_u));
    const auto angle = hn::Mul(hn::ConvertTo(d, hn::Load(whole, high + i)),
                               hn::Set(d, static_cast<float>(std::numbers::pi * 0x1p-31)));
    hn::Store(hn::Mul(radius, hn::Cos(d, angle)), d, first + i);
    hn::Store(hn::Mul(radius, hn::Sin(d, angle)), d, second + i);
  }
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::codes {

HWY_EXPORT(NormalPairs);

void normal_pairs(const FrameId& id, std::uint64_t stream, std::span<float> first,
                  std::span<float> second) {
  constexpr std::size_t kPiece = 256;
  alignas(64) std::uint32_t low[kPiece];
  alignas(64) std::int32_t high[kPiece];
  alignas(64) float a[kPiece], b[kPiece];
  const RandomWords words(id, stream);
  for (std::size_t begin = 0; begin < first.size(); begin += kPiece) {
    const std::size_t count = std::min(kPiece, first.size() - begin);
    const std::size_t padded = (count + 15) / 16 * 16;
    for (std::size_t i = 0; i < padded; ++i) {
      const std::uint64_t word = words.word(begin + i);
      low[i] = static_cast<std::uint32_t>(word);
      high[i] = static_cast<std::int32_t>(word >> 32);
    }
    HWY_DYNAMIC_DISPATCH(NormalPairs)(low, high, a, b, padded);
    std::copy_n(a, count, first.begin() + static_cast<std::ptrdiff_t>(begin));
    std::copy_n(b, count, second.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace fgnn::codes
#endif
