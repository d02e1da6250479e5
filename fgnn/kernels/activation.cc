#include "fgnn/kernels/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/activation.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Largest exponent that is asked for: exp stays finite.
template <class T>
inline constexpr T kLargestExponent = sizeof(T) == 4 ? T(88) : T(709);

template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V Function(D d, Activation f, V x) {
  switch (f) {
    case Activation::tanh:
      return hn::Tanh(d, x);
    case Activation::sigmoid: {
      const V one = hn::Set(d, T(1));
      const V e = hn::Exp(d, hn::Min(hn::Neg(x), hn::Set(d, kLargestExponent<T>)));
      return hn::Div(one, hn::Add(one, e));
    }
    case Activation::exp: {
      const V limit = hn::Set(d, kLargestExponent<T>);
      return hn::IfThenElse(hn::Gt(x, limit), hn::Inf(d), hn::Exp(d, hn::Min(x, limit)));
    }
    default:
      return hn::Log(d, hn::Max(x, hn::Set(d, kLeastLogged<T>)));
  }
}

// Ends of the array go through a full vector as well: a number's result must not depend on where it
// stands.
template <class T>
HWY_INLINE void Smooth(Activation f, T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto block = [&](T* at) HWY_ATTR {
    const auto v = hn::LoadU(d, at);
    hn::StoreU(hn::IfThenElse(hn::IsNaN(v), v, Function(d, f, v)), d, at);
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) block(x + i);
  if (i == n) return;
  HWY_ALIGN T rest[hn::MaxLanes(d)] = {};
  for (std::size_t k = 0; k < lanes && i + k < n; ++k) rest[k] = x[i + k];
  block(rest);
  for (std::size_t k = 0; k < lanes && i + k < n; ++k) x[i + k] = rest[k];
}

// A plain loop for each function: compilers vectorise it.
template <class T>
HWY_INLINE void Slope(Activation f, const T* HWY_RESTRICT y, T* HWY_RESTRICT gradient,
                      std::size_t n) {
  if (f == Activation::tanh) {
    for (std::size_t i = 0; i < n; ++i) gradient[i] *= 1 - y[i] * y[i];
  } else if (f == Activation::sigmoid) {
    for (std::size_t i = 0; i < n; ++i) gradient[i] *= y[i] * (1 - y[i]);
  } else {
    for (std::size_t i = 0; i < n; ++i) gradient[i] *= y[i];
  }
}

void SlopeFloat(Activation f, const float* y, float* gradient, std::size_t n) {
  Slope(f, y, gradient, n);
}
void SlopeDouble(Activation f, const double* y, double* gradient, std::size_t n) {
  Slope(f, y, gradient, n);
}
void SmoothFloat(Activation f, float* x, std::size_t n) { Smooth(f, x, n); }
void SmoothDouble(Activation f, double* x, std::size_t n) { Smooth(f, x, n); }

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {

HWY_EXPORT(SmoothFloat);
HWY_EXPORT(SmoothDouble);
HWY_EXPORT(SlopeFloat);
HWY_EXPORT(SlopeDouble);

void apply_smooth(Activation f, float* x, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(SmoothFloat)(f, x, n);
}
void apply_smooth(Activation f, double* x, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(SmoothDouble)(f, x, n);
}
void multiply_smooth_slope(Activation f, const float* y, float* gradient, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(SlopeFloat)(f, y, gradient, n);
}
void multiply_smooth_slope(Activation f, const double* y, double* gradient, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(SlopeDouble)(f, y, gradient, n);
}

}  // namespace fgnn::kernels
#endif
