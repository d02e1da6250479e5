// Skeletons: joints with parents and bone offsets, as a frame of exponential maps has them. A frame
// is 3 numbers of translation and 3 per joint: joint j has columns 3 + 3j … 5 + 3j.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/motion/rotation.h"

namespace fgnn::motion {

struct Joint {
  int parent = -1;   // before the joint itself; -1: the root
  Vector offset{};   // from the parent, mm
  std::string name;  // where known
};

struct Skeleton {
  std::vector<Joint> joints;

  std::size_t size() const { return joints.size(); }
  std::size_t columns() const { return 3 + 3 * joints.size(); }
  bool same_tree(const Skeleton& other) const;
};

// Lines of tabs: joint, parent, offset x, y, z in mm, columns such as 3-5; # begins a remark.
// Throws Error(format) with the place.
Skeleton parse_skeleton(std::string_view text, const std::string& file);

}  // namespace fgnn::motion
