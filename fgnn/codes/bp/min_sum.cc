// Min-sum, flooding and layered, on L-values in single precision.
#include <algorithm>
#include <cmath>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/codes/bp/min_sum.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/codes/bp/runner-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

template <bool kLayered>
class MinSumRule {
 public:
  using D = hn::CappedTag<float, 64>;
  using V = hn::Vec<D>;

  explicit MinSumRule(const BpDecoderOptions& options)
      : scale_(options.scale), offset_(options.offset), clip_(std::min(options.clip, 1e30f)) {}
  static std::size_t scratch(std::size_t degree) { return degree; }

  void channel(const float* llr, std::size_t n, float* out) const {
    for (std::size_t i = 0; i < n; ++i) out[i] = 0 - llr[i];  // of an erasure +0, the bit 0
  }
  HWY_INLINE V join(V total, V message) const { return hn::Add(total, message); }
  HWY_INLINE V decision(V total) const { return total; }
  float soft(float total) const { return -total; }

  HWY_INLINE void check(const CheckOf<D>& c, float* rest) const {
    const D d;
    const std::size_t w = hn::Lanes(d);
    // Beginning with the clip, the two least sizes need no clipping.
    V least = hn::Set(d, clip_), second = least, signs = hn::Zero(d);
    for (std::size_t i = 0; i < c.degree; ++i) {
      const V l = hn::Sub(hn::Load(d, c.total_at(i)), c.old_message(i, hn::Zero(d)));
      hn::Store(l, d, rest + i * w);
      const V size = hn::Abs(l);
      signs = hn::Xor(signs, l);
      second = hn::Min(second, hn::Max(size, least));
      least = hn::Min(least, size);
    }
    const V small = corrected(least), large = corrected(second);
    for (std::size_t i = 0; i < c.degree; ++i) {
      const V l = hn::Load(d, rest + i * w);
      const V others = hn::IfThenElse(hn::Eq(hn::Abs(l), least), large, small);
      const V message = hn::CopySignToAbs(others, hn::Xor(signs, l));
      hn::Store(message, d, c.message_at(i));
      if constexpr (kLayered) hn::Store(hn::Add(l, message), d, c.total_at(i));
    }
  }

 private:
  HWY_INLINE V corrected(V size) const {
    const D d;
    return hn::Max(hn::MulSub(size, hn::Set(d, scale_), hn::Set(d, offset_)), hn::Zero(d));
  }
  float scale_, offset_, clip_;
};

void min_sum_in_lanes(const Tanner& graph, const BpDecoderOptions& options, const LaneJob& job) {
  decode_by<MinSumRule>(graph, options, job);
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
