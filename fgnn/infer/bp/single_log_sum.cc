// One factor at a time: sums of numbers given by their logarithms.
#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/infer/bp/single_log_sum.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/infer/bp/single-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

template struct SingleKernel<LogSumAlgebra, float>;
template struct SingleKernel<LogSumAlgebra, double>;

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
