// Sum-product, flooding and layered, on ratios P(1) / P(0) instead of their logarithms: an
// iteration takes neither exponentials nor logarithms.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/codes/bp/sum_product.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
#include "fgnn/codes/bp/runner-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

// Messages are ratios in single precision. Totals are ratios that may leave its range: products of
// many messages. A total at the end of a range forgets how far beyond it should be; flooding
// multiplies it anew each time and may be content with that, layered schedules go on from there,
// and it made errors. So these have totals with a longer exponent.
template <bool kLayered>
class SumProductRule {
 public:
  using D = hn::CappedTag<std::int32_t, 64>;  // the bits of either kind of number
  using V = hn::Vec<D>;

  explicit SumProductRule(const BpDecoderOptions& options)
      : floor_(std::exp(-options.clip)),
        // A total beyond twice the clip is as certain without any one of its messages; up to
        // e^±60 the products below are never denormal numbers, which are slow.
        limit_(std::exp(std::max(60.0f, 2 * options.clip))) {}
  static std::size_t scratch(std::size_t degree) { return 4 * degree; }

  void channel(const float* llr, std::size_t n, std::int32_t* out) const {
    const F f;
    const auto most = hn::Set(f, kMostCertain);
    for (std::size_t i = 0; i < n; i += hn::Lanes(f)) {
      const auto l = hn::Max(hn::Min(hn::Load(f, llr + i), most), hn::Neg(most));
      hn::Store(total_of(hn::Exp(f, l)), D(), out + i);
    }
  }
  HWY_INLINE V join(V total, V message) const { return times(total, hn::BitCast(F(), message)); }
  // Totals are ordered as whole numbers, of either kind.
  HWY_INLINE V decision(V total) const { return hn::Sub(total_of(hn::Set(F(), 1.0f)), total); }
  float soft(std::int32_t total) const {
    if (!kLayered) return std::log(std::bit_cast<float>(total));
    const float mantissa = std::bit_cast<float>((total & kMantissa) * 4 + kOne);
    return static_cast<float>(total >> kBits) * std::numbers::ln2_v<float> + std::log(mantissa);
  }

  HWY_INLINE void check(const CheckOf<D>& c, std::int32_t* bits) const {
    const D d;
    float* const scratch = reinterpret_cast<float*>(bits);
    const std::size_t w = hn::Lanes(d), last = c.degree - 1;
    Pair left{hn::Set(F(), 1.0f), hn::Set(F(), floor_)};  // alone in its check a bit must be 0
    for (std::size_t i = 0; i <= last; ++i) {
      const Pair mine = incoming(ratio_of(hn::Load(d, c.total_at(i))), old_message(c, i));
      store(mine, scratch + 4 * i * w);
      store(left, scratch + (4 * i + 2) * w);
      left = i == 0 ? mine : both(left, mine);
    }
    Pair right = load(scratch + 4 * last * w);
    send(c, last, load(scratch + (4 * last + 2) * w));
    for (std::size_t i = last; i-- > 0;) {
      const Pair before = load(scratch + (4 * i + 2) * w);
      send(c, i, i == 0 ? right : both(before, right));
      if (i > 0) right = both(right, load(scratch + 4 * i * w));
    }
  }

 private:
  using F = hn::RebindToFloat<D>;
  using Ratio = hn::Vec<F>;

  // What the channel says is kept within this, so that products stay in single precision.
  static constexpr float kMostCertain = 40;

  // Long exponents: as the bits of a float without its bias, two bits of the fraction given to the
  // exponent.
  static constexpr std::int32_t kOne = 127 << 23, kBits = 21, kMantissa = (1 << kBits) - 1;
  static constexpr std::int32_t kMostExponent = 900 << kBits;  // a factor never reaches 2^120

  HWY_INLINE V total_of(Ratio ratio) const {
    const D d;
    const V bits = hn::BitCast(d, ratio);
    if constexpr (!kLayered) return bits;
    return hn::ShiftRight<2>(hn::Sub(bits, hn::Set(d, kOne)));
  }
  // Within the limit, which is all that a check asks for.
  HWY_INLINE Ratio ratio_of(V total) const {
    const F f;
    const D d;
    if constexpr (!kLayered) return hn::BitCast(f, total);
    const V most = total_of(hn::Set(f, limit_));
    const V near = hn::Max(hn::Min(total, most), hn::Neg(most));
    return hn::BitCast(f, hn::Add(hn::ShiftLeft<2>(near), hn::Set(d, kOne)));
  }
  HWY_INLINE V times(V total, Ratio factor) const {
    const F f;
    const D d;
    if constexpr (!kLayered) {
      const Ratio product = hn::Mul(hn::BitCast(f, total), factor);
      return hn::BitCast(d, hn::Max(hn::Min(product, hn::Set(f, limit_)), hn::Set(f, 1 / limit_)));
    }
    const V mantissa = hn::And(total, hn::Set(d, kMantissa)), most = hn::Set(d, kMostExponent);
    const V exponent = hn::Max(hn::Min(hn::Sub(total, mantissa), most), hn::Neg(most));
    const Ratio near = hn::BitCast(f, hn::Add(hn::ShiftLeft<2>(mantissa), hn::Set(d, kOne)));
    return hn::Add(exponent, total_of(hn::Mul(near, factor)));
  }

  struct Pair {
    Ratio zero, one;  // probabilities of the two values
  };

  static HWY_INLINE void store(const Pair& p, float* at) {
    const F f;
    hn::Store(p.zero, f, at);
    hn::Store(p.one, f, at + hn::Lanes(f));
  }
  static HWY_INLINE Pair load(const float* at) {
    const F f;
    return {hn::Load(f, at), hn::Load(f, at + hn::Lanes(f))};
  }
  static HWY_INLINE Pair both(const Pair& a, const Pair& b) {
    return {hn::MulAdd(a.one, b.one, hn::Mul(a.zero, b.zero)),
            hn::MulAdd(a.one, b.zero, hn::Mul(a.zero, b.one))};
  }
  static HWY_INLINE Ratio old_message(const CheckOf<D>& c, std::size_t i) {
    return hn::BitCast(F(), c.old_message(i, hn::Set(D(), kOne)));
  }

  // 1 / x to single precision: an estimate and Newton's step, faster than a division.
  static HWY_INLINE Ratio inverse(Ratio x) {
    const Ratio estimate = hn::ApproximateReciprocal(x);
    return hn::Mul(estimate, hn::NegMulAdd(x, estimate, hn::Set(F(), 2.0f)));
  }

  // The bit without what the check told it: total / message, as probabilities.
  HWY_INLINE Pair incoming(Ratio total, Ratio message) const {
    const Ratio scale = inverse(hn::Add(message, total)), least = hn::Set(F(), floor_);
    return {hn::Max(hn::Mul(message, scale), least), hn::Max(hn::Mul(total, scale), least)};
  }

  HWY_INLINE void send(const CheckOf<D>& c, std::size_t i, const Pair& p) const {
    const D d;
    if constexpr (kLayered) {
      const Ratio old = old_message(c, i);
      const Ratio change = hn::Mul(p.one, inverse(hn::Mul(p.zero, old)));
      hn::Store(hn::BitCast(d, hn::Mul(change, old)), d, c.message_at(i));
      hn::Store(times(hn::Load(d, c.total_at(i)), change), d, c.total_at(i));
    } else {
      hn::Store(hn::BitCast(d, hn::Mul(p.one, inverse(p.zero))), d, c.message_at(i));
    }
  }

  float floor_;  // least probability of a message into a check
  float limit_;  // totals stay between its inverse and it, where a check sees them
};

void sum_product_in_lanes(const Tanner& graph, const BpDecoderOptions& options,
                          const LaneJob& job) {
  decode_by<SumProductRule>(graph, options, job);
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
