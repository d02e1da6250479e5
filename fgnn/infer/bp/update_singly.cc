// Updates of large factors, one at a time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/infer/bp/update_singly.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/infer/bp/update-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

template <class D, class V = hn::Vec<D>>
HWY_INLINE V rest_of_belief(D d, V sum, V message, const hn::TFromD<D>* blocked) {
  return blocked == nullptr ? hn::Sub(sum, message)
                            : without(d, sum, hn::LoadU(d, blocked), message);
}

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

// Products of probabilities whose logarithms add up to more than this stay within a double.
constexpr double kLeastProduct = -600;

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

// Logarithms of the messages of the variables, each brought to a largest entry of zero. Adds what
// was taken away to `shift`; returns how far below zero their smallest entries are in all.
template <class T>
T read_incoming(const Update<T>& args, std::size_t f, T* logs, double& shift) {
  const Group<T>& g = *args.group;
  const T* old = args.messages + g.at(f, 0);
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
  return spread;
}

// Probabilities instead of weights, so that long counters do not overflow. Returns the logarithm of
// what was divided by.
template <class T>
double normalize(const Group<T>& g, T* in) {
  double scale = 0;
  for (std::size_t j = 0; j < g.arity(); ++j) {
    T sum = 0;
    for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) sum += in[s];
    if (sum == 0) continue;
    for (std::size_t s = g.slot[j]; s < g.slot[j + 1]; ++s) in[s] /= sum;
    scale += std::log(static_cast<double>(sum));
  }
  return scale;
}

// From `logs` to `in` and `out`. True when both hold exponentials afterwards, `scale` is the
// logarithm that was taken out of them.
template <class T>
bool run_kernel(const Update<T>& args, std::size_t f, T spread, const T* logs, T* in, T* out,
                T* scratch, double& scale) {
  const Group<T>& g = *args.group;
  const std::size_t width = g.width();
  std::copy_n(logs, width, in);
  const bool has_twin = !g.signed_terms || !g.twin.empty();  // in the log domain
  const bool safe = args.blocked == nullptr || spread > kSafeSpread<T> || !has_twin;
  if (g.algebra == Algebra::sum && safe) {
    transform(in, width, [](auto d, auto v) { return exp_of(d, v); });
    if (g.kernel == Kernel::count || g.kernel == Kernel::own) scale = normalize(g, in);
    if (g.kernel != Kernel::own || static_cast<double>(spread) - scale > kLeastProduct) {
      scale += SingleKernel<SumAlgebra, T>::run(g, f, in, out, scratch);
      if (!has_twin || all_alive(g, out)) return true;
    }
    scale = 0;
    std::copy_n(logs, width, in);
  }
  if (g.algebra == Algebra::max) {
    SingleKernel<MaxAlgebra, T>::run(g, f, in, out, scratch);
  } else {
    SingleKernel<LogSumAlgebra, T>::run(g, f, in, out, scratch);
  }
  return false;
}

// Of the products of messages both ways at the first variable.
template <class T>
double log_sum(const Group<T>& g, bool exponentials, const T* in, const T* out) {
  double high = -std::numeric_limits<double>::infinity(), sum = 0;
  const auto term = [&](std::size_t s) {
    return exponentials ? std::log(static_cast<double>(in[s]) * static_cast<double>(out[s]))
                        : static_cast<double>(in[s]) + static_cast<double>(out[s]);
  };
  for (std::size_t s = 0; s < g.slot[1]; ++s) high = std::max(high, term(s));
  for (std::size_t s = 0; s < g.slot[1]; ++s) sum += term(s) == high ? 1 : std::exp(term(s) - high);
  return high + std::log(sum);
}

// Brings the largest entry to zero; false when all are forbidden.
template <class T>
bool shift_to_zero(T* message, std::size_t states) {
  T high = kMinusInf<T>;
  over_terms<T>(states, [&](std::size_t x, auto d) {
    high = std::max(high, hn::GetLane(hn::MaxOfLanes(d, hn::LoadU(d, message + x))));
  });
  if (high == kMinusInf<T>) return false;
  over_terms<T>(states, [&](std::size_t x, auto d) {
    hn::StoreU(hn::Sub(hn::LoadU(d, message + x), hn::Set(d, high)), d, message + x);
  });
  return true;
}

// Damped, with a largest entry of zero, within the limit. Returns by how much they changed.
template <class T>
T write_messages(const Update<T>& args, std::size_t f, T* out, UpdateResult& result) {
  const Group<T>& g = *args.group;
  const T* old = args.messages + g.at(f, 0);
  T* target = args.out + g.at(f, 0);
  T change = 0;
  for (std::size_t j = 0; j < g.arity(); ++j) {
    const std::size_t first = g.slot[j], states = g.shape[j];
    if (!shift_to_zero(out + first, states)) result.contradiction = f;
    if (args.damping > 0) {
      for (std::size_t s = first; s < first + states; ++s) {
        if (out[s] != kMinusInf<T> && old[s] != kMinusInf<T>)
          out[s] += args.damping * (old[s] - out[s]);
      }
      shift_to_zero(out + first, states);
    }
    over_terms<T>(states, [&](std::size_t x, auto d) {
      auto cut = nothing_cut(d);
      const auto fresh = within(d, hn::LoadU(d, out + first + x), args.limit, cut);
      const auto before = hn::LoadU(d, old + first + x);
      result.cut |= !hn::AllFalse(d, cut);
      const auto gap = hn::IfThenZeroElse(hn::Eq(fresh, before), hn::Abs(hn::Sub(fresh, before)));
      change = std::max(change, hn::GetLane(hn::MaxOfLanes(d, gap)));
      hn::StoreU(fresh, d, target + first + x);
    });
  }
  return change;
}

template <class T>
void update_one(const Update<T>& args, std::size_t f, T* in, T* scratch, UpdateResult& result) {
  const Group<T>& g = *args.group;
  const std::size_t width = g.width();
  T* out = in + width;
  T* logs = out + width;  // incoming logarithms, kept for a second try
  double shift = g.log_scale[f], scale = 0;
  const T spread = read_incoming(args, f, logs, shift);
  const bool exponentials = run_kernel(args, f, spread, logs, in, out, scratch, scale);
  if (args.log_z != nullptr) {
    args.log_z[f - args.begin] = log_sum(g, exponentials, in, out) + shift + scale;
  }
  if (exponentials) transform(out, width, [](auto d, auto v) { return log_of(d, v); });
  const T change = write_messages(args, f, out, result);
  if (args.residual != nullptr) args.residual[f - args.begin] = static_cast<double>(change);
  result.residual = std::max(result.residual, static_cast<double>(change));
}

template <class T>
UpdateResult update_singly(const Update<T>& args, Workspace<T>& workspace) {
  const std::size_t width = args.group->width();
  T* in = aligned(workspace, 3 * width + scratch_of(*args.group));
  UpdateResult result;
  for (std::size_t f = args.begin; f < args.end; ++f)
    update_one(args, f, in, in + 3 * width, result);
  return result;
}

template UpdateResult update_singly(const Update<float>&, Workspace<float>&);
template UpdateResult update_singly(const Update<double>&, Workspace<double>&);

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
