// The three algebras on SIMD vectors. Included once per target.
#if defined(FGNN_BP_ALGEBRA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_BP_ALGEBRA_INL_H_
#undef FGNN_BP_ALGEBRA_INL_H_
#else
#define FGNN_BP_ALGEBRA_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
constexpr T kMinusInf = -std::numeric_limits<T>::infinity();

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_of(D d, V x) {
  return hn::Exp(d, x);  // minus infinity gives 0
}

// log x, minus infinity for 0 and below.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_of(D d, V x) {
  const auto alive = hn::Gt(x, hn::Zero(d));
  const V log = hn::Log(d, hn::IfThenElse(alive, x, hn::Set(d, hn::TFromD<D>(1))));
  return hn::IfThenElse(alive, log, hn::Set(d, kMinusInf<hn::TFromD<D>>));
}

struct SumAlgebra {
  template <class T>
  static constexpr T zero() {
    return 0;
  }
  template <class T>
  static constexpr T one() {
    return 1;
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V times(D, V a, V b) {
    return hn::Mul(a, b);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V plus(D, V a, V b) {
    return hn::Add(a, b);
  }
  // c + a b
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V plus_times(D, V a, V b, V c) {
    return hn::MulAdd(a, b, c);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE hn::TFromD<D> plus_lanes(D d, V a) {
    return hn::GetLane(hn::SumOfLanes(d, a));
  }
};

struct MaxAlgebra {
  template <class T>
  static constexpr T zero() {
    return kMinusInf<T>;
  }
  template <class T>
  static constexpr T one() {
    return 0;
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V times(D, V a, V b) {
    return hn::Add(a, b);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V plus(D, V a, V b) {
    return hn::Max(a, b);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V plus_times(D, V a, V b, V c) {
    return hn::Max(c, hn::Add(a, b));
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE hn::TFromD<D> plus_lanes(D d, V a) {
    return hn::GetLane(hn::MaxOfLanes(d, a));
  }
};

struct LogSumAlgebra : MaxAlgebra {
  // A call of its own: written out at every sum of the kernels it would make them, and the time to
  // compile them, many times as large.
  template <class D, class V = hn::Vec<D>>
  static HWY_NOINLINE V plus(D d, hn::VecArg<V> a, hn::VecArg<V> b) {
    const V high = hn::Max(a, b), low = hn::Min(a, b);
    const auto none = hn::Eq(high, hn::Set(d, kMinusInf<hn::TFromD<D>>));
    const V gap = hn::IfThenElseZero(hn::Not(none), hn::Sub(low, high));
    return hn::IfThenElse(none, high, hn::Add(high, hn::Log1p(d, exp_of(d, gap))));
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V plus_times(D d, V a, V b, V c) {
    return plus(d, c, hn::Add(a, b));
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE hn::TFromD<D> plus_lanes(D d, V a) {
    using T = hn::TFromD<D>;
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(a, d, lanes);
    const hn::CappedTag<T, 1> one;
    auto sum = hn::Set(one, lanes[0]);
    for (std::size_t i = 1; i < hn::Lanes(d); ++i) sum = plus(one, sum, hn::Set(one, lanes[i]));
    return hn::GetLane(sum);
  }
};

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
