#include "fgnn/infer/bp/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/infer/bp/kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "fgnn/infer/bp/algebra-inl.h"
#include "fgnn/infer/bp/structured-inl.h"
#include "fgnn/infer/bp/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

// Where states are forbidden, all that is left of a sum may be the product of every variable's
// least likely state. If those logarithms add up to less than this, the linear domain could lose
// it. Without forbidden states the likeliest states, with weight 1, are always part of the sum.
template <class T>
constexpr T kSafeSpread = std::is_same_v<T, float> ? -45 : -350;

template <class T>
T* aligned(Workspace<T>& workspace, std::size_t numbers) {
  constexpr std::size_t kPad = HWY_MAX_BYTES / sizeof(T);
  if (workspace.size() < numbers + 2 * kPad) workspace.resize(numbers + 2 * kPad);
  const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
  const std::size_t skip = (HWY_MAX_BYTES - address % HWY_MAX_BYTES) % HWY_MAX_BYTES;
  return workspace.data() + skip / sizeof(T);
}

template <class T>
std::size_t scratch_of(const Group<T>& g) {
  const Part all{g.shape.data(), g.slot.data(), 0, g.arity()};
  switch (g.kernel) {
    case Kernel::small_table:
    case Kernel::table:
      return table_scratch(all);
    case Kernel::small_count:
    case Kernel::count:
      return count_scratch(g);
    case Kernel::small_parity:
      return 2 * g.arity();
    case Kernel::low_rank:
    case Kernel::max_rank_one:
      return std::max((2 * g.arity() + 1) * g.terms, g.twin.empty() ? 0 : table_scratch(all));
    case Kernel::rows:
      return g.arity() + 1;
    case Kernel::all_different:
      return 2 * (g.arity() + 1) << *std::max_element(g.shape.begin(), g.shape.end());
  }
  return 0;
}

// ---- lanes: one factor per SIMD lane ----

// A belief (its finite sum, and how many terms forbid it) without one of its messages.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V without(D d, V sum, V blocked, V message) {
  using T = hn::TFromD<D>;
  const V none = hn::Set(d, kMinusInf<T>);
  const auto mine = hn::Eq(message, none);
  const V others = hn::Sub(blocked, hn::IfThenElseZero(mine, hn::Set(d, T(1))));
  const V rest = hn::Sub(sum, hn::IfThenZeroElse(mine, message));
  return hn::IfThenElse(hn::Gt(others, hn::Zero(d)), none, rest);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V rest_of_belief(D d, V sum, V message, const hn::TFromD<D>* blocked) {
  return blocked == nullptr ? hn::Sub(sum, message)
                            : without(d, sum, hn::LoadU(d, blocked), message);
}

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

// Messages below -limit become -limit and are marked in `cut`; forbidden ones stay.
template <class D, class V = hn::Vec<D>, class M = hn::Mask<D>>
HWY_INLINE V within(D d, V message, hn::TFromD<D> limit, M& cut) {
  const V floor = hn::Set(d, -limit);
  const auto beyond = hn::And(hn::Lt(message, floor),
                              hn::Ne(message, hn::Set(d, kMinusInf<hn::TFromD<D>>)));
  cut = hn::Or(cut, beyond);
  return hn::IfThenElse(beyond, floor, message);
}

template <class A, class D, class T = hn::TFromD<D>>
void kernel_lanes(D d, const Group<T>& g, std::size_t f, bool take_logs, const T* in, T* out,
                  T* scratch) {
  const auto number = [&](std::size_t e) {
    const T* at = &g.numbers[g.number_at(e, f)];
    const auto v = g.shared ? hn::Set(d, *at) : hn::LoadU(d, at);
    return take_logs ? log_of(d, v) : v;
  };
  switch (g.kernel) {
    case Kernel::small_table:
      messages_of_table_lanes<A>(d, Part{g.shape.data(), g.slot.data(), 0, g.arity()}, number, in,
                                 out, scratch);
      break;
    case Kernel::small_count:
      messages_of_count<A>(d, g, number, in, out, scratch);
      break;
    default:
      messages_of_parity<A>(d, g, in, out, scratch);
  }
}

template <class D, class T = hn::TFromD<D>>
void update_block(D d, const Update<T>& args, std::size_t f, T* in, T* scratch,
                  UpdateResult& result) {
  using V = hn::Vec<D>;
  const Group<T>& g = *args.group;
  const std::size_t lanes = hn::Lanes(d), size = g.size();
  T* out = in + g.width() * lanes;
  const V none = hn::Set(d, kMinusInf<T>);
  const bool linear = g.algebra == Algebra::sum;
  V shifts = hn::Zero(d), spread = hn::Zero(d);

  for (std::size_t j = 0; j < g.arity(); ++j) {
    const std::uint32_t* variables = &g.variable[j * size + f];
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
  const bool safe =
      args.blocked == nullptr || hn::GetLane(hn::MinOfLanes(d, spread)) > kSafeSpread<T>;
  const bool exponentials = linear && safe;
  if (exponentials) {
    for (std::size_t s = 0; s < g.width(); ++s) {
      hn::Store(exp_of(d, hn::Load(d, in + s * lanes)), d, in + s * lanes);
    }
    kernel_lanes<SumAlgebra>(d, g, f, false, in, out, scratch);
  } else if (g.algebra == Algebra::max) {
    kernel_lanes<MaxAlgebra>(d, g, f, false, in, out, scratch);
  } else {
    kernel_lanes<LogSumAlgebra>(d, g, f, linear, in, out, scratch);
  }

  if (args.log_z != nullptr) {
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

  V change = hn::Zero(d);
  auto cut = hn::Gt(hn::Zero(d), hn::Zero(d));  // none yet
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
    if (args.damping > 0) {
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
      high = hn::IfThenElse(hn::Eq(after, none), hn::Zero(d), after);
    }
    for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) {
      const V m = within(d, hn::Sub(hn::Load(d, out + s * lanes), high), args.limit, cut);
      const V old = hn::LoadU(d, args.messages + g.at(f, s));
      change = hn::Max(change, hn::IfThenZeroElse(hn::Eq(m, old), hn::Abs(hn::Sub(m, old))));
      hn::StoreU(m, d, args.out + g.at(f, s));
    }
  }
  if (args.residual != nullptr) {
    HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(change, d, buffer);
    for (std::size_t l = 0; l < lanes; ++l)
      args.residual[f - args.begin + l] = static_cast<double>(buffer[l]);
  }
  result.cut |= !hn::AllFalse(d, cut);
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

// ---- single: one factor at a time ----

template <class T, class Function>
void transform(T* values, std::size_t n, Function function) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(function(d, hn::LoadU(d, values + i)), d, values + i);
  }
  for (; i < n; ++i) hn::StoreU(function(one, hn::LoadU(one, values + i)), one, values + i);
}

// Returns the log of the scale that `out` lacks.
template <class A, class T>
double kernel_single(const Group<T>& g, std::size_t f, const T* in, T* out, T* scratch) {
  // A linear group redone with logarithms needs its numbers as logarithms too.
  constexpr bool kLogs = std::is_same_v<A, LogSumAlgebra>;
  std::vector<T> logs;
  const auto numbers = [&](std::size_t n) -> const T* {
    const T* own = g.numbers.data() + g.start[f];
    if (!kLogs || g.algebra != Algebra::sum) return own;
    logs.assign(own, own + n);
    for (T& x : logs) x = x > 0 ? std::log(x) : kMinusInf<T>;
    return logs.data();
  };
  const Part all{g.shape.data(), g.slot.data(), 0, g.arity()};
  switch (g.kernel) {
    case Kernel::table:
      messages_of_table<A, T>(all, numbers(all.size()), in, out, scratch);
      return 0;
    case Kernel::count: {
      const hn::CappedTag<T, 1> one;
      const T* values = numbers(g.counts);
      messages_of_count<A>(
          one, g, [&](std::size_t k) { return hn::Set(one, values[k]); }, in, out, scratch);
      return 0;
    }
    case Kernel::low_rank:
    case Kernel::max_rank_one:
      if (kLogs && g.signed_terms) {
        messages_of_table<A, T>(all, g.twin.data() + g.twin_start[f], in, out, scratch);
        return 0;
      }
      return messages_of_terms<A, T>(g, numbers(g.width() * g.terms), in, out, scratch);
    case Kernel::rows:
      messages_of_rows<A, T>(g, numbers(g.terms), &g.rows[g.start[f] * g.arity()], in, out,
                             scratch);
      return 0;
    default:
      messages_of_all_different<A, T>(g, in, out, scratch);
      return 0;
  }
}

template <class T>
bool all_alive(const Group<T>& g, const T* out) {
  // Signed terms that cancelled leave zeros or rounding: they are not to be trusted.
  if (g.signed_terms && std::find(out, out + g.width(), T(0)) != out + g.width()) return false;
  for (std::size_t j = 0; j < g.arity(); ++j) {
    T sum = 0;
    for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) sum += out[s];
    if (!(sum > std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon())) return false;
  }
  return true;
}

template <class T>
void update_one(const Update<T>& args, std::size_t f, T* in, T* scratch, UpdateResult& result) {
  const Group<T>& g = *args.group;
  const std::size_t width = g.width();
  T* out = in + width;
  T* logs = out + width;  // incoming logarithms, kept for a second try
  const T* old = args.messages + g.at(f, 0);
  double shift = g.log_scale[f];
  T spread = 0;
  for (std::size_t j = 0; j < g.arity(); ++j) {
    const std::size_t belief = g.variable[f * g.arity() + j];
    const std::size_t states = g.shape[j], first = g.slot[j];
    T high = kMinusInf<T>;
    over_terms<T>(states, [&](std::size_t x, auto d) {
      const auto n =
          rest_of_belief(d, hn::LoadU(d, args.belief + belief + x), hn::LoadU(d, old + first + x),
                         args.blocked == nullptr ? nullptr : args.blocked + belief + x);
      hn::StoreU(n, d, logs + first + x);
      high = std::max(high, hn::GetLane(hn::MaxOfLanes(d, n)));
    });
    if (high == kMinusInf<T>) high = 0;
    T lowest = 0;
    over_terms<T>(states, [&](std::size_t x, auto d) {
      const auto n = hn::Sub(hn::LoadU(d, logs + first + x), hn::Set(d, high));
      hn::StoreU(n, d, logs + first + x);
      const auto finite = hn::IfThenZeroElse(hn::Eq(n, hn::Set(d, kMinusInf<T>)), n);
      lowest = std::min(lowest, hn::GetLane(hn::MinOfLanes(d, finite)));
    });
    spread += lowest;
    shift += static_cast<double>(high);
  }
  std::copy_n(logs, width, in);
  bool exponentials = g.algebra == Algebra::sum;
  double scale = 0;
  const bool has_twin = !g.signed_terms || !g.twin.empty();  // in the log domain
  const bool safe = args.blocked == nullptr || spread > kSafeSpread<T> || !has_twin;
  if (exponentials && safe) {
    transform(in, width, [](auto d, auto v) { return exp_of(d, v); });
    if (g.kernel == Kernel::count) {  // long counters: probabilities, so that nothing overflows
      for (std::size_t j = 0; j < g.arity(); ++j) {
        T sum = 0;
        for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) sum += in[s];
        if (sum == 0) continue;
        for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) in[s] /= sum;
        scale += std::log(static_cast<double>(sum));
      }
    }
    scale += kernel_single<SumAlgebra>(g, f, in, out, scratch);
    exponentials = !has_twin || all_alive(g, out);
  } else {
    exponentials = false;
  }
  if (!exponentials) {
    scale = 0;
    std::copy_n(logs, width, in);
    if (g.algebra == Algebra::max) {
      kernel_single<MaxAlgebra>(g, f, in, out, scratch);
    } else {
      kernel_single<LogSumAlgebra>(g, f, in, out, scratch);
    }
  }
  if (args.log_z != nullptr) {
    double high = -std::numeric_limits<double>::infinity(), sum = 0;
    const auto term = [&](std::size_t s) {
      return exponentials ? std::log(static_cast<double>(in[s]) * static_cast<double>(out[s]))
                          : static_cast<double>(in[s]) + static_cast<double>(out[s]);
    };
    for (std::size_t s = 0; s < g.slot[1]; ++s) high = std::max(high, term(s));
    for (std::size_t s = 0; s < g.slot[1]; ++s)
      sum += term(s) == high ? 1 : std::exp(term(s) - high);
    args.log_z[f - args.begin] = high + std::log(sum) + shift + scale;
  }
  if (exponentials) transform(out, width, [](auto d, auto v) { return log_of(d, v); });

  T change = 0;
  T* target = args.out + g.at(f, 0);
  for (std::size_t j = 0; j < g.arity(); ++j) {
    const std::size_t first = g.slot[j], states = g.shape[j];
    const auto shift_to_zero = [&] {
      T high = kMinusInf<T>;
      over_terms<T>(states, [&](std::size_t x, auto d) {
        high = std::max(high, hn::GetLane(hn::MaxOfLanes(d, hn::LoadU(d, out + first + x))));
      });
      if (high == kMinusInf<T>) return false;
      over_terms<T>(states, [&](std::size_t x, auto d) {
        hn::StoreU(hn::Sub(hn::LoadU(d, out + first + x), hn::Set(d, high)), d, out + first + x);
      });
      return true;
    };
    if (!shift_to_zero()) result.contradiction = f;
    if (args.damping > 0) {
      for (std::size_t s = first; s < first + states; ++s) {
        if (out[s] != kMinusInf<T> && old[s] != kMinusInf<T>)
          out[s] += args.damping * (old[s] - out[s]);
      }
      shift_to_zero();
    }
    over_terms<T>(states, [&](std::size_t x, auto d) {
      auto cut = hn::Gt(hn::Zero(d), hn::Zero(d));  // none yet
      const auto fresh = within(d, hn::LoadU(d, out + first + x), args.limit, cut);
      const auto before = hn::LoadU(d, old + first + x);
      result.cut |= !hn::AllFalse(d, cut);
      const auto gap = hn::IfThenZeroElse(hn::Eq(fresh, before), hn::Abs(hn::Sub(fresh, before)));
      change = std::max(change, hn::GetLane(hn::MaxOfLanes(d, gap)));
      hn::StoreU(fresh, d, target + first + x);
    });
  }
  if (args.residual != nullptr) args.residual[f - args.begin] = static_cast<double>(change);
  result.residual = std::max(result.residual, static_cast<double>(change));
}

template <class T>
UpdateResult update_any(const Update<T>& args, Workspace<T>& workspace) {
  if (args.group->lanes()) return update_lanes(args, workspace);
  const std::size_t width = args.group->width();
  T* in = aligned(workspace, 3 * width + scratch_of(*args.group));
  UpdateResult result;
  for (std::size_t f = args.begin; f < args.end; ++f)
    update_one(args, f, in, in + 3 * width, result);
  return result;
}

UpdateResult UpdateFloat(const Update<float>& args, Workspace<float>& workspace) {
  return update_any(args, workspace);
}

UpdateResult UpdateDouble(const Update<double>& args, Workspace<double>& workspace) {
  return update_any(args, workspace);
}

void BestScores(const Group<double>& g, std::size_t f, const double* in, double* out,
                Workspace<double>& workspace) {
  double* scratch = aligned(workspace, scratch_of(g));
  if (g.lanes()) {
    kernel_lanes<MaxAlgebra>(hn::CappedTag<double, 1>(), g, f, false, in, out, scratch);
  } else {
    kernel_single<MaxAlgebra>(g, f, in, out, scratch);
  }
}

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::bp {

HWY_EXPORT(UpdateFloat);
HWY_EXPORT(UpdateDouble);
HWY_EXPORT(BestScores);

template <>
UpdateResult update(const Update<float>& args, Workspace<float>& workspace) {
  return HWY_DYNAMIC_DISPATCH(UpdateFloat)(args, workspace);
}

template <>
UpdateResult update(const Update<double>& args, Workspace<double>& workspace) {
  return HWY_DYNAMIC_DISPATCH(UpdateDouble)(args, workspace);
}

void best_scores(const Group<double>& group, std::size_t f, const double* in, double* out,
                 Workspace<double>& workspace) {
  HWY_DYNAMIC_DISPATCH(BestScores)(group, f, in, out, workspace);
}

}  // namespace fgnn::bp
#endif
