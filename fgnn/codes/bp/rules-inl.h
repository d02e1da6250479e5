// What a check tells each of its bits, in all lanes. Included once per target, after
// hwy/highway.h.
#if defined(FGNN_CODES_BP_RULES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_CODES_BP_RULES_INL_H_
#undef FGNN_CODES_BP_RULES_INL_H_
#else
#define FGNN_CODES_BP_RULES_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>

#include <cstddef>

#include "fgnn/codes/bp/options.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// 1 / x to single precision: an estimate and Newton's step, faster than a division.
HWY_INLINE V inverse(D d, V x) {
  const V estimate = hn::ApproximateReciprocal(x);
  return hn::Mul(estimate, hn::NegMulAdd(x, estimate, hn::Set(d, 2.0f)));
}

struct Pair {
  V zero, one;  // probabilities of the two values
};

HWY_INLINE Pair load(D d, const float* zero, const float* one) {
  return {hn::Load(d, zero), hn::Load(d, one)};
}

HWY_INLINE Pair times(const Pair& a, const Pair& b) {
  return {hn::MulAdd(a.one, b.one, hn::Mul(a.zero, b.zero)),
          hn::MulAdd(a.one, b.zero, hn::Mul(a.zero, b.one))};
}

// Replaces each of `degree` messages by the product ∘ of the others. `before` has room for the
// products from the left, 2 * degree vectors.
HWY_INLINE void combine_others(D d, std::size_t degree, float* zero, float* one, float* before) {
  const std::size_t w = hn::Lanes(d);
  if (degree == 1) {  // the bit must be 0
    hn::Store(hn::Set(d, 1.0f), d, zero);
    hn::Store(hn::Zero(d), d, one);
    return;
  }
  Pair left = load(d, zero, one);
  for (std::size_t i = 1; i + 1 < degree; ++i) {
    hn::Store(left.zero, d, before + 2 * i * w);
    hn::Store(left.one, d, before + (2 * i + 1) * w);
    left = times(left, load(d, zero + i * w, one + i * w));
  }
  std::size_t i = degree - 1;
  Pair right = load(d, zero + i * w, one + i * w);
  hn::Store(left.zero, d, zero + i * w);
  hn::Store(left.one, d, one + i * w);
  while (--i > 0) {
    const Pair mine = load(d, zero + i * w, one + i * w);
    const Pair others = times(load(d, before + 2 * i * w, before + (2 * i + 1) * w), right);
    hn::Store(others.zero, d, zero + i * w);
    hn::Store(others.one, d, one + i * w);
    right = times(right, mine);
  }
  hn::Store(right.zero, d, zero);
  hn::Store(right.one, d, one);
}

// Rules on L-values: `x` holds the messages into the check, a vector each, and receives those out
// of it.

class SumProductRule {
 public:
  explicit SumProductRule(const BpOptions& options) : clip_(options.clip) {}
  static std::size_t scratch(std::size_t degree) { return 4 * degree; }

  HWY_INLINE void apply(D d, std::size_t degree, float* x, float* scratch) const {
    const std::size_t w = hn::Lanes(d);
    const V clip = hn::Set(d, clip_), least = hn::Set(d, 1e-30f);
    float* const zero = scratch;
    float* const one = scratch + degree * w;
    for (std::size_t i = 0; i < degree; ++i) {
      const V l = hn::Load(d, x + i * w);
      const V t = hn::Exp(d, hn::Neg(hn::Min(hn::Abs(l), clip)));
      const V likely = inverse(d, hn::Add(hn::Set(d, 1.0f), t));
      const V unlikely = hn::Mul(t, likely);
      const auto is_one = hn::Lt(l, hn::Zero(d));
      hn::Store(hn::IfThenElse(is_one, unlikely, likely), d, zero + i * w);
      hn::Store(hn::IfThenElse(is_one, likely, unlikely), d, one + i * w);
    }
    combine_others(d, degree, zero, one, scratch + 2 * degree * w);
    for (std::size_t i = 0; i < degree; ++i) {
      const Pair p = load(d, zero + i * w, one + i * w);
      const V ratio = hn::Div(hn::Max(p.zero, least), hn::Max(p.one, least));
      const V l = hn::Log(d, ratio);
      hn::Store(hn::Max(hn::Min(l, clip), hn::Neg(clip)), d, x + i * w);
    }
  }

 private:
  float clip_;
};

class MinSumRule {
 public:
  explicit MinSumRule(const BpOptions& options)
      : scale_(options.scale), offset_(options.offset), clip_(options.clip) {}
  static std::size_t scratch(std::size_t) { return 0; }

  HWY_INLINE void apply(D d, std::size_t degree, float* x, float*) const {
    const std::size_t w = hn::Lanes(d);
    const V clip = hn::Set(d, clip_);
    V least = hn::Set(d, 1e30f), second = least, signs = hn::Zero(d);
    for (std::size_t i = 0; i < degree; ++i) {
      const V l = hn::Load(d, x + i * w);
      const V size = hn::Min(hn::Abs(l), clip);
      signs = hn::Xor(signs, l);
      second = hn::Min(second, hn::Max(size, least));
      least = hn::Min(least, size);
    }
    const V small = corrected(d, least), large = corrected(d, second);
    for (std::size_t i = 0; i < degree; ++i) {
      const V l = hn::Load(d, x + i * w);
      const V size = hn::Min(hn::Abs(l), clip);
      const V others = hn::IfThenElse(hn::Eq(size, least), large, small);
      hn::Store(hn::CopySignToAbs(others, hn::Xor(signs, l)), d, x + i * w);
    }
  }

 private:
  HWY_INLINE V corrected(D d, V size) const {
    return hn::Max(hn::MulSub(size, hn::Set(d, scale_), hn::Set(d, offset_)), hn::Zero(d));
  }
  float scale_, offset_, clip_;
};

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
