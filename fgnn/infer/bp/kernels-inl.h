// The kernels: all outgoing messages of a factor from its incoming ones, in one algebra. Included
// once per target.
//
// Declared here; the bodies are in lanes-inl.h and single-inl.h, and one source file per body and
// algebra (lanes_sum.cc, single_max.cc ...) compiles them, so that no file takes a compiler long.
#if defined(FGNN_BP_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_BP_KERNELS_INL_H_
#undef FGNN_BP_KERNELS_INL_H_
#else
#define FGNN_BP_KERNELS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "fgnn/infer/bp/algebra-inl.h"
#include "fgnn/infer/bp/group.h"
#include "fgnn/infer/bp/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

// Small factors: factor f + l of the group in lane l. `in` and `out` hold width() vectors. Groups
// of linear numbers may be asked for with their logarithms (LogSumAlgebra alone).
template <class A, class D>
struct LaneKernel {
  using T = hn::TFromD<D>;
  static void run(const Group<T>& g, std::size_t f, bool take_logs, const T* in, T* out,
                  T* scratch);
};

// Large factors: one at a time. Returns the log of the scale that `out` lacks.
template <class A, class T>
struct SingleKernel {
  static double run(const Group<T>& g, std::size_t f, const T* in, T* out, T* scratch);
};

template <class T>
T* aligned(Workspace<T>& workspace, std::size_t numbers) {
  constexpr std::size_t kPad = HWY_MAX_BYTES / sizeof(T);
  if (workspace.size() < numbers + 2 * kPad) workspace.resize(numbers + 2 * kPad);
  const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
  const std::size_t skip = (HWY_MAX_BYTES - address % HWY_MAX_BYTES) % HWY_MAX_BYTES;
  return workspace.data() + skip / sizeof(T);
}

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
