// Min-sum, flooding and layered, on L-values as multiples of a step in eight bits: four times as
// many words at once as in single precision.
#include <algorithm>
#include <cmath>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/codes/bp/fixed_min_sum.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/codes/bp/runner-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

template <bool kLayered>
class FixedMinSumRule {
 public:
  using D = hn::CappedTag<std::int8_t, 64>;
  using V = hn::Vec<D>;

  explicit FixedMinSumRule(const BpDecoderOptions& options)
      : step_(options.step),
        scale_(static_cast<std::int16_t>(std::min(32767l, std::lround(32768 * options.scale)))),
        offset_(in_steps(options.offset, 127)),
        clip_(in_steps(options.clip, 63)) {}
  static std::size_t scratch(std::size_t degree) { return degree; }

  void channel(const float* llr, std::size_t n, std::int8_t* out) const {
    const hn::CappedTag<float, 64> d;
    const hn::Rebind<std::int8_t, decltype(d)> narrow;
    const auto most = hn::Set(d, 127.0f), per_step = hn::Set(d, -1 / step_);
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
      const auto x = hn::Mul(hn::Load(d, llr + i), per_step);
      const auto kept = hn::Max(hn::Min(x, most), hn::Neg(most));
      hn::StoreU(hn::DemoteTo(narrow, hn::NearestInt(kept)), narrow, out + i);
    }
  }
  HWY_INLINE V join(V total, V message) const { return hn::SaturatedAdd(total, message); }
  HWY_INLINE V decision(V total) const { return total; }
  float soft(std::int8_t total) const { return -step_ * total; }

  HWY_INLINE void check(const CheckOf<D>& c, std::int8_t* rest) const {
    const D d;
    const Sizes u;
    const std::size_t w = hn::Lanes(d);
    // Beginning with the clip, the two least sizes need no clipping. Sizes are unsigned, because
    // that of -128 is 128.
    auto least = hn::Set(u, clip_), second = least;
    V signs = hn::Zero(d);
    for (std::size_t i = 0; i < c.degree; ++i) {
      const V l = hn::SaturatedSub(hn::Load(d, c.total_at(i)), c.old_message(i, hn::Zero(d)));
      hn::Store(l, d, rest + i * w);
      const auto size = hn::BitCast(u, hn::Abs(l));
      signs = hn::Xor(signs, l);
      second = hn::Min(second, hn::Max(size, least));
      least = hn::Min(least, size);
    }
    const V small = hn::BitCast(d, corrected(least)), large = hn::BitCast(d, corrected(second));
    for (std::size_t i = 0; i < c.degree; ++i) {
      const V l = hn::Load(d, rest + i * w);
      const auto is_least = hn::RebindMask(d, hn::Eq(hn::BitCast(u, hn::Abs(l)), least));
      const V others = hn::IfThenElse(is_least, large, small);
      const V message = hn::IfNegativeThenElse(hn::Xor(signs, l), hn::Neg(others), others);
      hn::Store(message, d, c.message_at(i));
      if constexpr (kLayered) hn::Store(join(l, message), d, c.total_at(i));
    }
  }

 private:
  // What a check says at most. A total at the end of its range forgets how far beyond it should be.
  // Flooding sums it up anew each time; layered schedules go on from there, and with larger
  // messages that made errors.
  static constexpr std::uint8_t kMost = kLayered ? 31 : 63;

  using Sizes = hn::RebindToUnsigned<D>;

  // size * scale - offset, rounded, not below zero and not above the most.
  HWY_INLINE hn::Vec<Sizes> corrected(hn::Vec<Sizes> size) const {
    const Sizes u;
    return hn::Min(hn::SaturatedSub(scaled(size), hn::Set(u, offset_)), hn::Set(u, kMost));
  }

#if HWY_TARGET == HWY_SCALAR
  HWY_INLINE hn::Vec<Sizes> scaled(hn::Vec<Sizes> size) const {
    const int product = hn::GetLane(size) * scale_;
    return hn::Set(Sizes(), static_cast<std::uint8_t>((product + (1 << 14)) >> 15));
  }
#else
  // The products in sixteen bits, those of even and of odd lanes apart.
  HWY_INLINE hn::Vec<Sizes> scaled(hn::Vec<Sizes> size) const {
    const hn::RepartitionToWide<Sizes> wide;
    const hn::RebindToSigned<decltype(wide)> product;
    const auto scale = hn::Set(product, scale_);
    const auto both = hn::BitCast(wide, size);
    const auto even = hn::BitCast(product, hn::And(both, hn::Set(wide, 0xff)));
    const auto odd = hn::BitCast(product, hn::ShiftRight<8>(both));
    return hn::BitCast(Sizes(), hn::Or(hn::MulFixedPoint15(even, scale),
                                       hn::ShiftLeft<8>(hn::MulFixedPoint15(odd, scale))));
  }
#endif

  std::uint8_t in_steps(float size, float most) const {
    return static_cast<std::uint8_t>(std::nearbyint(std::min(size / step_, most)));
  }

  float step_;
  std::int16_t scale_;  // 32768 is one; what is next to it makes no difference for such sizes
  std::uint8_t offset_, clip_;
};

void fixed_min_sum_in_lanes(const Tanner& graph, const BpDecoderOptions& options,
                            const LaneJob& job) {
  decode_by<FixedMinSumRule>(graph, options, job);
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
