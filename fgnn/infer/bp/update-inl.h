// What updates of small and of large factors have in common. Included once per target.
#if defined(FGNN_BP_UPDATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_BP_UPDATE_INL_H_
#undef FGNN_BP_UPDATE_INL_H_
#else
#define FGNN_BP_UPDATE_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "fgnn/infer/bp/kernels-inl.h"
#include "fgnn/infer/bp/structured-inl.h"
#include "fgnn/infer/bp/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

template <class T>
UpdateResult update_lanes(const Update<T>& args, Workspace<T>& workspace);
template <class T>
UpdateResult update_singly(const Update<T>& args, Workspace<T>& workspace);

// Where states are forbidden, all that is left of a sum may be the product of every variable's
// least likely state. If those logarithms add up to less than this, the linear domain could lose
// it. Without forbidden states the likeliest states, with weight 1, are always part of the sum.
template <class T>
constexpr T kSafeSpread = std::is_same_v<T, float> ? -45 : -350;

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

// Messages below -limit become -limit and are marked in `cut`; forbidden ones stay.
template <class D, class V = hn::Vec<D>, class M = hn::Mask<D>>
HWY_INLINE V within(D d, V message, hn::TFromD<D> limit, M& cut) {
  const V floor = hn::Set(d, -limit);
  const auto beyond =
      hn::And(hn::Lt(message, floor), hn::Ne(message, hn::Set(d, kMinusInf<hn::TFromD<D>>)));
  cut = hn::Or(cut, beyond);
  return hn::IfThenElse(beyond, floor, message);
}

template <class D>
HWY_INLINE hn::Mask<D> nothing_cut(D d) {
  return hn::Gt(hn::Zero(d), hn::Zero(d));
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
    case Kernel::own:
      return 0;  // brings its own
  }
  return 0;
}

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
