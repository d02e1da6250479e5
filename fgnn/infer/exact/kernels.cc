#include "fgnn/infer/exact/kernels.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/infer/exact/kernels.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::exact::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
constexpr double kMinusInf = -std::numeric_limits<double>::infinity();

// Calls body(i, load, store) on whole vectors and once more on the rest, padded.
template <class Body>
HWY_INLINE void over(std::size_t n, double* out, Body body) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(body(i, lanes), d, out + i);
  if (i < n) {
    HWY_ALIGN double rest[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(body(i, n - i), d, rest);
    for (std::size_t k = 0; i + k < n; ++k) out[i + k] = rest[k];
  }
}

// Loads `count` lanes, the others zero.
HWY_INLINE V load(const double* in, std::size_t count) {
  const D d;
  if (count == hn::Lanes(d)) return hn::LoadU(d, in);
  HWY_ALIGN double rest[HWY_MAX_BYTES / sizeof(double)] = {};
  for (std::size_t k = 0; k < count; ++k) rest[k] = in[k];
  return hn::Load(d, rest);
}

void Shift(const double* in, double value, double* out, std::size_t n) {
  const D d;
  const V c = hn::Set(d, value);
  over(n, out, [&](std::size_t i, std::size_t m) { return hn::Add(load(in + i, m), c); });
}

void Add(const double* in, double* out, std::size_t n) {
  over(n, out,
       [&](std::size_t i, std::size_t m) { return hn::Add(load(out + i, m), load(in + i, m)); });
}

void AddGathered(const double* in, const std::int32_t* index, double* out, std::size_t n) {
  const D d;
  const hn::Rebind<std::int32_t, D> half;
  const hn::RebindToSigned<D> wide;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto at = hn::PromoteTo(wide, hn::LoadU(half, index + i));
    hn::StoreU(hn::Add(hn::LoadU(d, out + i), hn::GatherIndex(d, in, at)), d, out + i);
  }
  for (; i < n; ++i) out[i] += in[index[i]];
}

void AddRuns(const double* in, const std::int32_t* start, std::size_t run, double* out,
             std::size_t n) {
  for (std::size_t i = 0; i < n; i += run) Add(in + start[i], out + i, run);
}

void AddRepeats(const double* in, const std::int32_t* start, std::size_t run, double* out,
                std::size_t n) {
  for (std::size_t i = 0; i < n; i += run) Shift(out + i, in[start[i]], out + i, run);
}

void Maximum(const double* in, double* out, std::size_t n) {
  over(n, out,
       [&](std::size_t i, std::size_t m) { return hn::Max(load(out + i, m), load(in + i, m)); });
}

// Bytes of ones where a bit of the index is set.
struct Spread {
  std::uint64_t bytes[256];
  constexpr Spread() : bytes() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      for (unsigned k = 0; k < 8; ++k) {
        if ((bits >> k & 1) != 0) bytes[bits] |= std::uint64_t{0xff} << (8 * k);
      }
    }
  }
};
constexpr Spread kSpread;

void MaximumChoice(const double* in, double* out, std::uint8_t* choice, std::uint8_t x,
                   std::size_t n) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint64_t all = x * std::uint64_t{0x0101010101010101};
  std::size_t i = 0;
  if (lanes <= 8) {  // as many bytes of choices as there are lanes
    for (; i + lanes <= n; i += lanes) {
      const V fresh = hn::LoadU(d, in + i), old = hn::LoadU(d, out + i);
      std::uint8_t bits[8] = {};
      hn::StoreMaskBits(d, hn::Gt(fresh, old), bits);
      hn::StoreU(hn::Max(old, fresh), d, out + i);
      const std::uint64_t mask = kSpread.bytes[bits[0]];
      std::uint64_t chosen = 0;
      std::memcpy(&chosen, choice + i, lanes);
      chosen = (chosen & ~mask) | (all & mask);
      std::memcpy(choice + i, &chosen, lanes);
    }
  }
  for (; i < n; ++i) {
    if (in[i] > out[i]) {
      choice[i] = x;
      out[i] = in[i];
    }
  }
}

// exp(a - b) where b is forbidden only together with a: b is replaced by 0 there.
HWY_INLINE V exp_of_difference(V a, V b) {
  const D d;
  const V safe = hn::IfThenElse(hn::Eq(b, hn::Set(d, kMinusInf)), hn::Zero(d), b);
  return hn::Exp(d, hn::Sub(a, safe));
}

void AddExp(const double* in, const double* high, double* sum, std::size_t n) {
  over(n, sum, [&](std::size_t i, std::size_t m) {
    return hn::Add(load(sum + i, m), exp_of_difference(load(in + i, m), load(high + i, m)));
  });
}

void AddLog(const double* sum, double* high, std::size_t n) {
  const D d;
  over(n, high, [&](std::size_t i, std::size_t m) {
    const V total = load(sum + i, m);
    const auto alive = hn::Gt(total, hn::Zero(d));
    const V log = hn::Log(d, hn::IfThenElse(alive, total, hn::Set(d, 1.0)));
    return hn::IfThenElse(alive, hn::Add(load(high + i, m), log), hn::Set(d, kMinusInf));
  });
}

double Posterior(double* in, const double* total, const double* weight, std::size_t n) {
  const D d;
  V sum = hn::Zero(d);
  over(n, in, [&](std::size_t i, std::size_t m) {
    const V w = load(weight + i, m);
    const V share = exp_of_difference(load(in + i, m), load(total + i, m));
    const V p = hn::IfThenElseZero(hn::Gt(w, hn::Zero(d)), hn::Mul(w, share));
    sum = hn::Add(sum, p);
    return p;
  });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

}  // namespace fgnn::exact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::exact {

HWY_EXPORT(Shift);
HWY_EXPORT(Add);
HWY_EXPORT(AddGathered);
HWY_EXPORT(AddRuns);
HWY_EXPORT(AddRepeats);
HWY_EXPORT(Maximum);
HWY_EXPORT(MaximumChoice);
HWY_EXPORT(AddExp);
HWY_EXPORT(AddLog);
HWY_EXPORT(Posterior);

const Kernels& kernels() {
  static const Kernels chosen = [] {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return Kernels{HWY_DYNAMIC_DISPATCH(Shift),         HWY_DYNAMIC_DISPATCH(Add),
                   HWY_DYNAMIC_DISPATCH(AddGathered),   HWY_DYNAMIC_DISPATCH(AddRuns),
                   HWY_DYNAMIC_DISPATCH(AddRepeats),    HWY_DYNAMIC_DISPATCH(Maximum),
                   HWY_DYNAMIC_DISPATCH(MaximumChoice), HWY_DYNAMIC_DISPATCH(AddExp),
                   HWY_DYNAMIC_DISPATCH(AddLog),        HWY_DYNAMIC_DISPATCH(Posterior)};
  }();
  return chosen;
}

}  // namespace fgnn::exact
#endif
