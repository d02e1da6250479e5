// One factor per lane: maxima of logarithms.
#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/infer/bp/lanes_max.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/infer/bp/lanes-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

template struct LaneKernel<MaxAlgebra, hn::ScalableTag<float>>;
template struct LaneKernel<MaxAlgebra, hn::ScalableTag<double>>;
#if HWY_TARGET != HWY_SCALAR  // whose vectors have one lane anyway
template struct LaneKernel<MaxAlgebra, hn::CappedTag<float, 1>>;
template struct LaneKernel<MaxAlgebra, hn::CappedTag<double, 1>>;
#endif

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
