// BVH, the common text format of captures: a hierarchy of joints with offsets and channels, then
// frames of channel values.
//
//   HIERARCHY
//   ROOT Hips { OFFSET x y z  CHANNELS 6 Xposition … Zrotation Yrotation Xrotation
//     JOINT LeftUpLeg { OFFSET … CHANNELS 3 … End Site { OFFSET … } } }
//   MOTION  Frames: n  Frame Time: seconds  then n lines of numbers
//
// Angles are degrees; a joint's rotation is the product of its channels in their order, for
// columns: p = p_parent + G_parent offset, G = G_parent L. In exponential maps r, which act on rows
// (rotation.h), L = R(r)^T.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/motion/frames.h"
#include "fgnn/experiments/motion/skeleton.h"

namespace fgnn::motion {

enum class Channel { x_position, y_position, z_position, x_rotation, y_rotation, z_rotation };

struct Bvh {
  // End sites are joints too, without channels and with an empty name. Offsets are in the file's
  // own unit.
  Skeleton skeleton;
  std::vector<std::vector<Channel>> channels;  // by joint, in the order of the file
  double frame_seconds = 0;
  std::size_t frames = 0;
  std::vector<double> numbers;  // frames x all channels

  std::size_t channel_count() const;
};

// Throws Error(format) with line and column.
Bvh parse_bvh(std::string_view text, const std::string& file);
std::string bvh_text(const Bvh& bvh);

// Frames of exponential maps, one triple for every joint and end site: translation as it is in the
// file, every `every`-th frame.
Frames exponential_maps(const Bvh& bvh, std::size_t every);

// The other way. `like` gives hierarchy and channels (its frames are not read).
Bvh bvh_of(const Frames& frames, const Bvh& like, double frame_seconds);

// A hierarchy for a skeleton in mm, root with six channels, joints without children as end sites.
Bvh bvh_like(const Skeleton& skeleton);

}  // namespace fgnn::motion
