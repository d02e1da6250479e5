// Updates of small factors, one per SIMD lane.
#include <algorithm>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/infer/bp/update_lanes.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/infer/bp/update-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

// The vector of messages into the factors for one state: belief without the factor's own message.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> incoming(D d, const Update<T>& args, const std::uint32_t* variables, State x,
                               const T* message) {
  const hn::RebindToSigned<D> wide;
  hn::Vec<hn::RebindToSigned<D>> index;
  if constexpr (sizeof(T) == 8) {
    const hn::Rebind<std::int32_t, D> narrow;
    index =
        hn::PromoteTo(wide, hn::LoadU(narrow, reinterpret_cast<const std::int32_t*>(variables)));
  } else {
    index = hn::LoadU(wide, reinterpret_cast<const std::int32_t*>(variables));
  }
  const auto old = hn::LoadU(d, message);
  const auto sum = hn::GatherIndex(d, args.belief + x, index);
  if (args.blocked == nullptr) return hn::Sub(sum, old);
  return without(d, sum, hn::GatherIndex(d, args.blocked + x, index), old);
}

// Messages of the variables to a block of factors, each brought to a largest entry of zero. Adds
// what was taken away to `shifts`; returns how far below zero their smallest entries are in all.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V read_incoming(D d, const Update<T>& args, std::size_t f, T* in, V& shifts) {
  const Group<T>& g = *args.group;
  const std::size_t lanes = hn::Lanes(d);
  const V none = hn::Set(d, kMinusInf<T>);
  V spread = hn::Zero(d);
  for (std::size_t j = 0; j < g.arity(); ++j) {
    const std::uint32_t* variables = &g.variable[j * g.size() + f];
    V high = none;
    for (State x = 0; x < g.shape[j]; ++x) {
      const std::size_t s = g.slot[j] + x;
      const V n = incoming(d, args, variables, x, args.messages + g.at(f, s));
      hn::Store(n, d, in + s * lanes);
      high = hn::Max(high, n);
    }
    high = hn::IfThenElse(hn::Eq(high, none), hn::Zero(d), high);
    shifts = hn::Add(shifts, high);
    V lowest = hn::Zero(d);
    for (State x = 0; x < g.shape[j]; ++x) {
      T* at = in + (g.slot[j] + x) * lanes;
      const V n = hn::Sub(hn::Load(d, at), high);
      lowest = hn::Min(lowest, hn::IfThenZeroElse(hn::Eq(n, none), n));
      hn::Store(n, d, at);
    }
    spread = hn::Add(spread, lowest);
  }
  return spread;
}

// From `in` to `out` by the group's kernel. True when both hold exponentials afterwards.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE bool run_kernel(D d, const Group<T>& g, std::size_t f, bool safe, T* in, T* out,
                           T* scratch) {
  const std::size_t lanes = hn::Lanes(d);
  const bool linear = g.algebra == Algebra::sum;
  if (linear && safe) {
    for (std::size_t s = 0; s < g.width(); ++s) {
      hn::Store(exp_of(d, hn::Load(d, in + s * lanes)), d, in + s * lanes);
    }
    LaneKernel<SumAlgebra, D>::run(g, f, false, in, out, scratch);
    return true;
  }
  if (g.algebra == Algebra::max) {
    LaneKernel<MaxAlgebra, D>::run(g, f, false, in, out, scratch);
  } else {
    LaneKernel<LogSumAlgebra, D>::run(g, f, linear, in, out, scratch);
  }
  return false;
}

template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
void write_log_z(D d, const Update<T>& args, std::size_t f, bool exponentials, V shifts,
                 const T* in, const T* out) {
  const Group<T>& g = *args.group;
  const std::size_t lanes = hn::Lanes(d);
  V total = hn::Set(d, exponentials ? T(0) : kMinusInf<T>);
  for (std::size_t s = 0; s < g.slot[1]; ++s) {
    const V a = hn::Load(d, in + s * lanes), b = hn::Load(d, out + s * lanes);
    total = exponentials ? SumAlgebra::plus_times(d, a, b, total)
                         : LogSumAlgebra::plus_times(d, a, b, total);
  }
  if (exponentials) total = log_of(d, total);
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(hn::Add(total, shifts), d, buffer);
  for (std::size_t l = 0; l < lanes; ++l) {
    args.log_z[f - args.begin + l] = static_cast<double>(buffer[l]) + g.log_scale[f + l];
  }
}

// The fresh messages to variable j mixed with the old ones; returns their largest entry.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V damp(D d, const Update<T>& args, std::size_t f, std::size_t j, V high, T* out) {
  const Group<T>& g = *args.group;
  const std::size_t lanes = hn::Lanes(d);
  const V none = hn::Set(d, kMinusInf<T>);
  V after = none;
  for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) {
    const V fresh = hn::Sub(hn::Load(d, out + s * lanes), high);
    const V old = hn::LoadU(d, args.messages + g.at(f, s));
    const V mixed = hn::Add(fresh, hn::Mul(hn::Set(d, args.damping), hn::Sub(old, fresh)));
    const auto either = hn::Or(hn::Eq(fresh, none), hn::Eq(old, none));
    const V m = hn::IfThenElse(either, fresh, mixed);
    hn::Store(m, d, out + s * lanes);
    after = hn::Max(after, m);
  }
  return hn::IfThenElse(hn::Eq(after, none), hn::Zero(d), after);
}

// Damped, with a largest entry of zero, within the limit. Returns by how much they changed.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V write_messages(D d, const Update<T>& args, std::size_t f, bool exponentials, T* out,
                            UpdateResult& result) {
  const Group<T>& g = *args.group;
  const std::size_t lanes = hn::Lanes(d);
  const V none = hn::Set(d, kMinusInf<T>);
  V change = hn::Zero(d);
  auto cut = nothing_cut(d);
  for (std::size_t j = 0; j < g.arity(); ++j) {
    V high = none;
    for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) {
      V m = hn::Load(d, out + s * lanes);
      if (exponentials) {
        m = log_of(d, m);
        hn::Store(m, d, out + s * lanes);
      }
      high = hn::Max(high, m);
    }
    const auto dead = hn::Eq(high, none);
    if (!hn::AllFalse(d, dead)) {
      result.contradiction = f + static_cast<std::size_t>(hn::FindFirstTrue(d, dead));
      high = hn::IfThenElse(dead, hn::Zero(d), high);
    }
    if (args.damping > 0) high = damp(d, args, f, j, high, out);
    for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) {
      const V m = within(d, hn::Sub(hn::Load(d, out + s * lanes), high), args.limit, cut);
      const V old = hn::LoadU(d, args.messages + g.at(f, s));
      change = hn::Max(change, hn::IfThenZeroElse(hn::Eq(m, old), hn::Abs(hn::Sub(m, old))));
      hn::StoreU(m, d, args.out + g.at(f, s));
    }
  }
  result.cut |= !hn::AllFalse(d, cut);
  return change;
}

template <class D, class T = hn::TFromD<D>>
void update_block(D d, const Update<T>& args, std::size_t f, T* in, T* scratch,
                  UpdateResult& result) {
  using V = hn::Vec<D>;
  const Group<T>& g = *args.group;
  const std::size_t lanes = hn::Lanes(d);
  T* out = in + g.width() * lanes;
  V shifts = hn::Zero(d);
  const V spread = read_incoming(d, args, f, in, shifts);
  const bool safe =
      args.blocked == nullptr || hn::GetLane(hn::MinOfLanes(d, spread)) > kSafeSpread<T>;
  const bool exponentials = run_kernel(d, g, f, safe, in, out, scratch);
  if (args.log_z != nullptr) write_log_z(d, args, f, exponentials, shifts, in, out);
  const V change = write_messages(d, args, f, exponentials, out, result);
  if (args.residual != nullptr) {
    HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(change, d, buffer);
    for (std::size_t l = 0; l < lanes; ++l)
      args.residual[f - args.begin + l] = static_cast<double>(buffer[l]);
  }
  result.residual =
      std::max(result.residual, static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, change))));
}

template <class T>
UpdateResult update_lanes(const Update<T>& args, Workspace<T>& workspace) {
  const Group<T>& g = *args.group;
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  T* in = aligned(workspace, (2 * g.width() + scratch_of(g)) * lanes);
  UpdateResult result;
  std::size_t f = args.begin;
  // Blocks of lanes must not straddle tiles: singly up to the next boundary, and at the end.
  while (f < args.end) {
    if (f % lanes == 0 && f + lanes <= args.end) {
      update_block(d, args, f, in, in + 2 * g.width() * lanes, result);
      f += lanes;
    } else {
      update_block(one, args, f++, in, in + 2 * g.width(), result);
    }
  }
  return result;
}

template UpdateResult update_lanes(const Update<float>&, Workspace<float>&);
template UpdateResult update_lanes(const Update<double>&, Workspace<double>&);

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
