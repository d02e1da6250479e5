// Sum-product, flooding and layered, on ratios P(1) / P(0) instead of their logarithms: an
// iteration takes neither exponentials nor logarithms.
#include <algorithm>
#include <cmath>

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

class SumProductRule {
 public:
  using D = hn::CappedTag<float, 64>;
  using V = hn::Vec<D>;

  explicit SumProductRule(const BpOptions& options)
      : floor_(std::exp(-options.clip)),
        // A total beyond twice the clip is as certain without any one of its messages; up to
        // e^±60 the products below are no denormal numbers, which are slow.
        limit_(std::exp(std::max(60.0f, 2 * options.clip))) {}
  static std::size_t scratch(std::size_t degree) { return 4 * degree; }

  void channel(const float* llr, std::size_t n, float* out) const {
    const D d;
    const V most = hn::Set(d, kMostCertain);
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
      const V l = hn::Max(hn::Min(hn::Load(d, llr + i), most), hn::Neg(most));
      hn::Store(hn::Exp(d, l), d, out + i);
    }
  }
  HWY_INLINE V join(V total, V message) const {
    const D d;
    return hn::Max(hn::Min(hn::Mul(total, message), hn::Set(d, limit_)), hn::Set(d, 1 / limit_));
  }
  HWY_INLINE V decision(V total) const { return hn::Sub(hn::Set(D(), 1.0f), total); }
  float soft(float total) const { return std::log(total); }

  template <bool kLayered>
  HWY_INLINE void check(const CheckOf<D>& c, float* scratch) const {
    const D d;
    const std::size_t w = hn::Lanes(d), last = c.degree - 1;
    const V neutral = hn::Set(d, 1.0f);
    Pair left{hn::Set(d, 1.0f), hn::Set(d, floor_)};  // alone in its check a bit must be 0
    for (std::size_t i = 0; i <= last; ++i) {
      const Pair mine = incoming(hn::Load(d, c.total_at(i)), c.old_message(i, neutral));
      store(mine, scratch + 4 * i * w);
      store(left, scratch + (4 * i + 2) * w);
      left = i == 0 ? mine : times(left, mine);
    }
    Pair right = load(scratch + 4 * last * w);
    send<kLayered>(c, last, load(scratch + (4 * last + 2) * w));
    for (std::size_t i = last; i-- > 0;) {
      const Pair before = load(scratch + (4 * i + 2) * w);
      send<kLayered>(c, i, i == 0 ? right : times(before, right));
      if (i > 0) right = times(right, load(scratch + 4 * i * w));
    }
  }

 private:
  // What the channel says is kept within this, so that products stay in single precision.
  static constexpr float kMostCertain = 40;

  struct Pair {
    V zero, one;  // probabilities of the two values
  };

  static HWY_INLINE void store(const Pair& p, float* at) {
    const D d;
    hn::Store(p.zero, d, at);
    hn::Store(p.one, d, at + hn::Lanes(d));
  }
  static HWY_INLINE Pair load(const float* at) {
    const D d;
    return {hn::Load(d, at), hn::Load(d, at + hn::Lanes(d))};
  }
  static HWY_INLINE Pair times(const Pair& a, const Pair& b) {
    return {hn::MulAdd(a.one, b.one, hn::Mul(a.zero, b.zero)),
            hn::MulAdd(a.one, b.zero, hn::Mul(a.zero, b.one))};
  }

  // 1 / x to single precision: an estimate and Newton's step, faster than a division.
  static HWY_INLINE V inverse(V x) {
    const V estimate = hn::ApproximateReciprocal(x);
    return hn::Mul(estimate, hn::NegMulAdd(x, estimate, hn::Set(D(), 2.0f)));
  }

  // The bit without what the check told it: total / message, as probabilities.
  HWY_INLINE Pair incoming(V total, V message) const {
    const V scale = inverse(hn::Add(message, total)), least = hn::Set(D(), floor_);
    return {hn::Max(hn::Mul(message, scale), least), hn::Max(hn::Mul(total, scale), least)};
  }

  template <bool kLayered>
  HWY_INLINE void send(const CheckOf<D>& c, std::size_t i, const Pair& p) const {
    const D d;
    if constexpr (kLayered) {
      const V old = c.old_message(i, hn::Set(d, 1.0f));
      const V change = hn::Mul(p.one, inverse(hn::Mul(p.zero, old)));
      hn::Store(hn::Mul(change, old), d, c.message_at(i));
      hn::Store(join(hn::Load(d, c.total_at(i)), change), d, c.total_at(i));
    } else {
      hn::Store(hn::Mul(p.one, inverse(p.zero)), d, c.message_at(i));
    }
  }

  float floor_;  // least probability of a message into a check
  float limit_;  // totals stay between its inverse and it
};

void sum_product_in_lanes(const Tanner& graph, const BpOptions& options, const LaneJob& job) {
  decode_by<SumProductRule>(graph, options, job);
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
