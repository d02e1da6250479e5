// The body of LaneKernel: one factor per SIMD lane. Included once per target.
#if defined(FGNN_BP_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_BP_LANES_INL_H_
#undef FGNN_BP_LANES_INL_H_
#else
#define FGNN_BP_LANES_INL_H_
#endif

#include <hwy/cache_control.h>

#include <type_traits>

#include "fgnn/infer/bp/kernels-inl.h"
#include "fgnn/infer/bp/structured-inl.h"
#include "fgnn/infer/bp/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

// Tables of large graphs come from beyond the second cache. Asking for them so many bytes ahead
// was measured to help (grids of 16 states, max: about a seventh less time); 2 kB helped less.
constexpr std::size_t kAhead = 4096;

template <class A, class D>
void LaneKernel<A, D>::run(const Group<T>& g, std::size_t f, [[maybe_unused]] bool take_logs,
                           const T* in, T* out, T* scratch) {
  const D d;
  const auto number = [&](std::size_t e) {
    const T* at = &g.numbers[g.number_at(e, f)];
    if (!g.shared) hwy::Prefetch(at + kAhead / sizeof(T));
    const auto v = g.shared ? hn::Set(d, *at) : hn::LoadU(d, at);
    if constexpr (std::is_same_v<A, LogSumAlgebra>) return take_logs ? log_of(d, v) : v;
    return v;
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

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
