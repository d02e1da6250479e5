// Min-sum, flooding and layered.
#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/codes/bp/min_sum.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/codes/bp/log_state-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

void min_sum_in_lanes(const Tanner& graph, const BpOptions& options, const LaneJob& job) {
  if (options.order == Order::layered) {
    Runner<LogState<MinSumRule, true>>(graph, options, job).run();
  } else {
    Runner<LogState<MinSumRule, false>>(graph, options, job).run();
  }
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
