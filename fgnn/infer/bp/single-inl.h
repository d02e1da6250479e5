// The body of SingleKernel: one factor at a time, SIMD within it. Included once per target.
#if defined(FGNN_BP_SINGLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_BP_SINGLE_INL_H_
#undef FGNN_BP_SINGLE_INL_H_
#else
#define FGNN_BP_SINGLE_INL_H_
#endif

#include <cmath>
#include <type_traits>
#include <vector>

#include "fgnn/infer/bp/kernels-inl.h"
#include "fgnn/infer/bp/structured-inl.h"
#include "fgnn/infer/bp/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

template <class A, class T>
double SingleKernel<A, T>::run(const Group<T>& g, std::size_t f, const T* in, T* out, T* scratch) {
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
    default:
      return own_messages<A, T>(g, *g.own[g.start[f]], in, out);
  }
}

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
