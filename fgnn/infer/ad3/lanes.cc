#include "fgnn/infer/ad3/lanes.h"

#include <limits>

#include "fgnn/core/simd.h"
#include "fgnn/infer/ad3/projections.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/infer/ad3/lanes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fgnn::admm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kLanes>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
using Index = hn::RebindToSigned<D>;

// p + share / step of one position in all lanes of a block.
HWY_INLINE V point(D d, const LaneArrays& arrays, std::size_t l, V inverse) {
  const V p = hn::GatherIndex(d, arrays.p, hn::LoadU(Index(), arrays.at + l));
  return hn::MulAdd(inverse, hn::LoadU(d, arrays.shares + l), p);
}

HWY_INLINE V clip(D d, V y) { return hn::Min(hn::Max(y, hn::Zero(d)), hn::Set(d, 1.0)); }

HWY_INLINE M none(D d) { return hn::Lt(hn::Zero(d), hn::Zero(d)); }

// minimise 1/2 |y - a|^2 - coupling y_1 y_2 (Martins et al. 2015, appendix): for a positive
// coupling the envelope is coupling * min(y_1, y_2); a negative one becomes positive by turning y_2
// round.
void pairs(LaneGroup& group, const LaneArrays& arrays, double step) {
  const D d;
  const V inverse = hn::Set(d, 1 / step), half = hn::Set(d, 0.5), one = hn::Set(d, 1.0);
  for (std::size_t j = 0; j < group.lanes; j += hn::Lanes(d)) {
    const std::size_t l1 = group.first + j, l2 = l1 + group.lanes;
    V a1 = point(d, arrays, l1, inverse), a2 = point(d, arrays, l2, inverse);
    V c = hn::Mul(inverse, hn::LoadU(d, group.coupling.data() + j));
    const M turned = hn::Lt(c, hn::Zero(d));
    a1 = hn::Add(a1, hn::IfThenElseZero(turned, c));
    a2 = hn::IfThenElse(turned, hn::Sub(one, a2), a2);
    c = hn::Abs(c);
    const V up1 = hn::Add(a1, c), up2 = hn::Add(a2, c);
    const V middle = hn::Mul(half, hn::Add(a1, up2));
    const M first = hn::Gt(a1, up2), second = hn::Gt(a2, up1);
    const V y1 = hn::IfThenElse(first, a1, hn::IfThenElse(second, up1, middle));
    const V y2 = clip(d, hn::IfThenElse(first, up2, hn::IfThenElse(second, a2, middle)));
    hn::StoreU(clip(d, y1), d, arrays.q + l1);
    hn::StoreU(hn::IfThenElse(turned, hn::Sub(one, y2), y2), d, arrays.q + l2);
  }
}

// One block of counts: lanes j … of the group.
class CountBlock {
 public:
  CountBlock(LaneGroup& group, const LaneArrays& arrays, std::size_t j)
      : group_(group), arrays_(arrays), j_(j) {}

  HWY_INLINE void run(V inverse) {
    const D d;
    V sum = hn::Zero(d);
    for (std::size_t i = 0; i < group_.arity; ++i) {
      const V a = point(d, arrays_, local(i), inverse);
      hn::StoreU(a, d, arrays_.scratch + i * hn::Lanes(d));
      sum = hn::Add(sum, clip(d, a));
    }
    const V least = hn::LoadU(d, group_.least.data() + j_);
    const V most = hn::LoadU(d, group_.most.data() + j_);
    const M above = hn::Gt(sum, most), outside = hn::Or(above, hn::Lt(sum, least));
    V shift = hn::Zero(d);
    M missed = none(d);
    if (!hn::AllFalse(d, outside)) {
      shift = hn::IfThenElseZero(outside, hn::LoadU(d, group_.shift.data() + j_));
      missed = find_shift(hn::IfThenElse(above, most, least), outside, shift);
      hn::StoreU(shift, d, group_.shift.data() + j_);
    }
    for (std::size_t i = 0; i < group_.arity; ++i) {
      hn::StoreU(clip(d, hn::Add(at(i), shift)), d, arrays_.q + local(i));
    }
    if (!hn::AllFalse(d, missed)) one_by_one(missed, above);
  }

 private:
  HWY_INLINE std::size_t local(std::size_t i) const { return group_.first + i * group_.lanes + j_; }
  HWY_INLINE V at(std::size_t i) const {
    return hn::LoadU(D(), arrays_.scratch + i * hn::Lanes(D()));
  }

  // Newton's method as in project_to_sum(). Returns the lanes where it left the known bracket or
  // took too long; they are rare.
  HWY_INLINE M find_shift(V target, M open, V& shift) const {
    const D d;
    const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
    const V rounding = hn::Set(d, 4e-16 * (1.0 + group_.arity));
    V low = hn::Set(d, -std::numeric_limits<double>::infinity()), high = hn::Neg(low);
    M missed = none(d);
    for (int pass = 0; pass < 30; ++pass) {
      V sum = zero, rising = zero, falling = zero;
      for (std::size_t i = 0; i < group_.arity; ++i) {
        const V t = hn::Add(at(i), shift);
        sum = hn::Add(sum, clip(d, t));
        rising = hn::Add(rising, hn::IfThenElseZero(hn::And(hn::Ge(t, zero), hn::Lt(t, one)), one));
        falling =
            hn::Add(falling, hn::IfThenElseZero(hn::And(hn::Gt(t, zero), hn::Le(t, one)), one));
      }
      const V missing = hn::Sub(target, sum);
      const V tolerance = hn::MulAdd(rounding, hn::Abs(shift), rounding);
      open = hn::And(open, hn::Gt(hn::Abs(missing), tolerance));
      if (hn::AllFalse(d, open)) return missed;
      const M up = hn::Gt(missing, zero);
      low = hn::IfThenElse(up, shift, low);
      high = hn::IfThenElse(up, high, shift);
      const V slope = hn::IfThenElse(up, rising, falling);
      const V next = hn::Add(shift, hn::Div(missing, slope));
      const M inside = hn::And(hn::And(hn::Gt(next, low), hn::Lt(next, high)), hn::Gt(slope, zero));
      missed = hn::Or(missed, hn::AndNot(inside, open));
      open = hn::And(open, inside);
      shift = hn::IfThenElse(open, next, shift);
    }
    return hn::Or(missed, open);
  }

  HWY_NOINLINE void one_by_one(M missed, M above) {
    const D d;
    const std::size_t n = hn::Lanes(d);
    std::vector<double> y(group_.arity);
    double wanted[kLanes], over[kLanes];
    hn::StoreU(hn::IfThenElseZero(missed, hn::Set(d, 1.0)), d, wanted);
    hn::StoreU(hn::IfThenElseZero(above, hn::Set(d, 1.0)), d, over);
    for (std::size_t k = 0; k < n; ++k) {
      if (wanted[k] == 0) continue;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = arrays_.scratch[i * n + k];
      const double sum = over[k] != 0 ? group_.most[j_ + k] : group_.least[j_ + k];
      group_.shift[j_ + k] = 0;
      project_to_sum(y, sum, group_.shift[j_ + k], y);
      for (std::size_t i = 0; i < y.size(); ++i) arrays_.q[local(i) + k] = y[i];
    }
  }

  LaneGroup& group_;
  const LaneArrays& arrays_;
  std::size_t j_;
};

void step(LaneGroup& group, const LaneArrays& arrays, double step) {
  if (group.pair) return pairs(group, arrays, step);
  const D d;
  for (std::size_t j = 0; j < group.lanes; j += hn::Lanes(d)) {
    CountBlock(group, arrays, j).run(hn::Set(d, 1 / step));
  }
}

double share(std::size_t n, const LaneArrays& arrays, double step) {
  const D d;
  const V by_step = hn::Set(d, step);
  V total = hn::Zero(d);
  for (std::size_t l = 0; l < n; l += hn::Lanes(d)) {
    const V p = hn::GatherIndex(d, arrays.p, hn::LoadU(Index(), arrays.at + l));
    const V apart = hn::Sub(hn::LoadU(d, arrays.q + l), p);
    total = hn::MulAdd(apart, apart, total);
    hn::StoreU(hn::NegMulAdd(by_step, apart, hn::LoadU(d, arrays.shares + l)), d,
               arrays.shares + l);
  }
  return hn::GetLane(hn::SumOfLanes(d, total));
}

}  // namespace fgnn::admm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::admm {

HWY_EXPORT(step);
HWY_EXPORT(share);

void step_lanes(LaneGroup& group, const LaneArrays& arrays, double step_size) {
  HWY_DYNAMIC_DISPATCH(step)(group, arrays, step_size);
}

double share_lanes(std::size_t n, const LaneArrays& arrays, double step_size) {
  return HWY_DYNAMIC_DISPATCH(share)(n, arrays, step_size);
}

}  // namespace fgnn::admm
#endif
