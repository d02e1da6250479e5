#include "fgnn/experiments/motion/skeleton.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/io/tab_lines.h"

namespace fgnn::motion {
namespace {

constexpr std::size_t kMostJoints = 4096;
constexpr double kLongestBone = 1e6;  // mm

int parent_of(const TabLine& line, std::size_t joint) {
  if (line[1] == "-1") {
    if (joint > 0) line.fail(1, "a second root", "only joint 0 has the parent -1");
    return -1;
  }
  if (joint == 0) line.fail(1, "joint 0 is the root", "its parent is -1");
  const auto parent = line.whole(1, "a parent", kMostJoints);
  if (parent >= joint) line.fail(1, "a parent must come before its child");
  return static_cast<int>(parent);
}

}  // namespace

bool Skeleton::same_tree(const Skeleton& other) const {
  return std::ranges::equal(joints, other.joints, {}, &Joint::parent, &Joint::parent);
}

Skeleton parse_skeleton(std::string_view text, const std::string& file) {
  Skeleton skeleton;
  std::size_t number = 0;
  for (const auto& raw : split(text, '\n')) {
    std::string_view content = raw;
    if (content.ends_with('\r')) content.remove_suffix(1);
    ++number;
    if (content.empty() || content.starts_with('#')) continue;
    const TabLine line(content, file, number);
    line.expect(6);
    const std::size_t joint = skeleton.size();
    if (joint == kMostJoints) line.fail(0, "too many joints");
    if (line.whole(0, "a joint", kMostJoints) != joint) {
      line.fail(0, fmt::format("expected joint {}", joint), "joints are numbered from 0 on");
    }
    Joint j{parent_of(line, joint), {}, {}};
    for (std::size_t k = 0; k < 3; ++k) j.offset[k] = line.number(2 + k, "an offset", kLongestBone);
    if (line[5] != fmt::format("{}-{}", 3 + 3 * joint, 5 + 3 * joint)) {
      line.fail(5, fmt::format("joint {} has columns {}-{}", joint, 3 + 3 * joint, 5 + 3 * joint));
    }
    skeleton.joints.push_back(std::move(j));
  }
  if (skeleton.joints.empty()) {
    throw Error(ErrorCode::format, fmt::format("{}:{}", file, number), "the file has no joints");
  }
  return skeleton;
}

}  // namespace fgnn::motion
