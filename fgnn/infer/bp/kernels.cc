#include "fgnn/infer/bp/kernels.h"

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/infer/bp/kernels.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/infer/bp/update-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

UpdateResult UpdateFloat(const Update<float>& args, Workspace<float>& workspace) {
  return args.group->lanes() ? update_lanes(args, workspace) : update_singly(args, workspace);
}

UpdateResult UpdateDouble(const Update<double>& args, Workspace<double>& workspace) {
  return args.group->lanes() ? update_lanes(args, workspace) : update_singly(args, workspace);
}

void BestScores(const Group<double>& g, std::size_t f, const double* in, double* out,
                Workspace<double>& workspace) {
  double* scratch = aligned(workspace, scratch_of(g));
  if (g.lanes()) {
    LaneKernel<MaxAlgebra, hn::CappedTag<double, 1>>::run(g, f, false, in, out, scratch);
  } else {
    SingleKernel<MaxAlgebra, double>::run(g, f, in, out, scratch);
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
