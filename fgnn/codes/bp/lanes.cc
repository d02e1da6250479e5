#include "fgnn/codes/bp/lanes.h"

#include <algorithm>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/codes/bp/lanes.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/codes/bp/runner-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

void DecodeInLanes(const Tanner& graph, const BpDecoderOptions& options, const LaneJob& job) {
  if (options.rule == Rule::sum_product) return sum_product_in_lanes(graph, options, job);
  if (options.precision == Precision::int8) return fixed_min_sum_in_lanes(graph, options, job);
  min_sum_in_lanes(graph, options, job);
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::codes {

HWY_EXPORT(DecodeInLanes);

void decode_in_lanes(const Tanner& graph, const BpDecoderOptions& options, const LaneJob& job) {
  if (graph.bits == 0) {
    std::fill_n(job.valid, job.count, std::uint8_t{1});
    return;
  }
  HWY_DYNAMIC_DISPATCH(DecodeInLanes)(graph, options, job);
}

}  // namespace fgnn::codes
#endif
