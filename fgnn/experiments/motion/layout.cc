// The two skeletons of the field's protocols, with which columns and joints they predict.
#include "fgnn/experiments/motion/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fgnn/core/error.h"

namespace fgnn::motion {
namespace {

struct Bone {
  int parent;
  double offset[3];
  const char* name;
};

// clang-format off
constexpr Bone kCmuBones[] = {
    {-1, {0, 0, 0}, "Hips"},
    {0, {0, 0, 0}, "LHipJoint"},
    {1, {115.9718, -126.1974, 43.7339}, "LeftUpLeg"},
    {2, {181.804, -499.5032, 0}, "LeftLeg"},
    {3, {174.4652, -479.339, 0}, "LeftFoot"},
    {4, {13.7928, -37.8952, 150.2067}, "LeftToeBase"},
    {5, {0, 0, 77.8743}, "LeftToeEnd"},
    {0, {0, 0, 0}, "RHipJoint"},
    {7, {-112.749, -126.1974, 43.7332}, "RightUpLeg"},
    {8, {-181.6514, -499.0839, 0}, "RightLeg"},
    {9, {-172.746, -474.6168, 0}, "RightFoot"},
    {10, {-16.1168, -44.2806, 149.3576}, "RightToeBase"},
    {11, {0, 0, 78.0983}, "RightToeEnd"},
    {0, {0, 0, 0}, "LowerBack"},
    {13, {1.3727, 143.815, -9.8784}, "Spine"},
    {14, {0.7147, 144.5052, -4.1447}, "Spine1"},
    {15, {0, 0, 0}, "Neck"},
    {16, {0.4991, 109.6977, 10.4776}, "Neck1"},
    {17, {2.4003, 109.2287, -7.0042}, "Head"},
    {18, {0.9135, 113.792, -3.6855}, "HeadEnd"},
    {15, {0, 0, 0}, "LeftShoulder"},
    {20, {247.9435, 63.3052, -12.1548}, "LeftArm"},
    {21, {340.5591, 0, 0}, "LeftForeArm"},
    {22, {234.8878, 0, 0}, "LeftHand"},
    {23, {0, 0, 0}, "LeftFingerBase"},
    {24, {46.2819, 0, 0}, "LeftHandIndex1"},
    {25, {37.3142, 0, 0}, "LeftHandEnd"},
    {23, {0, 0, 0}, "LThumb"},
    {27, {37.884, 0, 37.884}, "LThumbEnd"},
    {15, {0, 0, 0}, "RightShoulder"},
    {29, {-244.8614, 53.1958, -22.8312}, "RightArm"},
    {30, {-351.8543, 0, 0}, "RightForeArm"},
    {31, {-235.5017, 0, 0}, "RightHand"},
    {32, {0, 0, 0}, "RightFingerBase"},
    {33, {-51.1287, 0, 0}, "RightHandIndex1"},
    {34, {-41.2209, 0, 0}, "RightHandEnd"},
    {32, {0, 0, 0}, "RThumb"},
    {36, {-41.8502, 0, 41.8502}, "RThumbEnd"},
};

constexpr Bone kH36mBones[] = {
    {-1, {0, 0, 0}, "Hips"},
    {0, {-132.948591, 0, 0}, "RightUpLeg"},
    {1, {0, -442.894612, 0}, "RightLeg"},
    {2, {0, -454.206447, 0}, "RightFoot"},
    {3, {0, 0, 162.767078}, "RightToeBase"},
    {4, {0, 0, 74.999437}, "RightToeEnd"},
    {0, {132.948826, 0, 0}, "LeftUpLeg"},
    {6, {0, -442.894413, 0}, "LeftLeg"},
    {7, {0, -454.20659, 0}, "LeftFoot"},
    {8, {0, 0, 162.767426}, "LeftToeBase"},
    {9, {0, 0, 74.999948}, "LeftToeEnd"},
    {0, {0, 0.1, 0}, "Spine"},
    {11, {0, 233.383263, 0}, "Spine1"},
    {12, {0, 257.077681, 0}, "Neck"},
    {13, {0, 121.134938, 0}, "Head"},
    {14, {0, 115.002227, 0}, "HeadEnd"},
    {12, {0, 257.077681, 0}, "LeftShoulder"},
    {16, {0, 151.034226, 0}, "LeftArm"},
    {17, {0, 278.882773, 0}, "LeftForeArm"},
    {18, {0, 251.733451, 0}, "LeftHand"},
    {19, {0, 0, 0}, "LeftHandThumb"},
    {20, {0, 0, 99.999627}, "LeftThumbEnd"},
    {19, {0, 100.000188, 0}, "LeftWristEnd"},
    {22, {0, 0, 0}, "LeftWristTip"},
    {12, {0, 257.077681, 0}, "RightShoulder"},
    {24, {0, 151.031437, 0}, "RightArm"},
    {25, {0, 278.892924, 0}, "RightForeArm"},
    {26, {0, 251.72868, 0}, "RightHand"},
    {27, {0, 0, 0}, "RightHandThumb"},
    {28, {0, 0, 99.999888}, "RightThumbEnd"},
    {27, {0, 137.499922, 0}, "RightWristEnd"},
    {30, {0, 0, 0}, "RightWristTip"},
};
// clang-format on

// First and last of runs.
using Run = std::array<std::size_t, 2>;
constexpr Run kCmuColumns[] = {{9, 13},  {15, 19}, {27, 31},   {33, 37},   {42, 59},
                               {66, 68}, {70, 72}, {75, 77},   {80, 80},   {84, 86},
                               {93, 95}, {97, 99}, {102, 104}, {107, 107}, {111, 113}};
constexpr Run kH36mColumns[] = {{6, 9},   {12, 15}, {21, 24}, {27, 30}, {36, 47},
                                {51, 57}, {60, 62}, {75, 81}, {84, 86}};
constexpr std::size_t kCmuIgnored[] = {0, 1, 2, 7, 8, 13, 16, 20, 24, 27, 29, 33, 36};
constexpr std::size_t kH36mIgnored[] = {0, 1, 6, 11, 16, 20, 23, 24, 28, 31};
constexpr Twin kCmuTwins[] = {{16, 15}, {20, 15}, {29, 15}, {24, 23}, {27, 23}, {33, 32}, {36, 32}};
constexpr Twin kH36mTwins[] = {{16, 13}, {20, 19}, {23, 22}, {24, 13}, {28, 27}, {31, 30}};

template <class Bones, class Runs, class Ignored, class Twins>
Layout make(const char* name, const Bones& bones, const Runs& runs, const Ignored& ignored,
            const Twins& twins) {
  Layout l;
  l.name = name;
  for (const Bone& b : bones) {
    l.skeleton.joints.push_back({b.parent, {b.offset[0], b.offset[1], b.offset[2]}, b.name});
  }
  for (const Run& run : runs) {
    for (std::size_t c = run[0]; c <= run[1]; ++c) l.angle_columns.push_back(c);
  }
  for (std::size_t j = 0; j < l.skeleton.size(); ++j) {
    if (std::ranges::find(ignored, j) == std::end(ignored)) l.joints.push_back(j);
  }
  l.twins.assign(std::begin(twins), std::end(twins));
  return l;
}

}  // namespace

const Layout& cmu_layout() {
  static const Layout layout = make("cmu", kCmuBones, kCmuColumns, kCmuIgnored, kCmuTwins);
  return layout;
}

const Layout& h36m_layout() {
  static const Layout layout = make("h36m", kH36mBones, kH36mColumns, kH36mIgnored, kH36mTwins);
  return layout;
}

const Layout& layout_of_columns(std::size_t columns, const std::string& subject) {
  for (const Layout* l : {&cmu_layout(), &h36m_layout()}) {
    if (l->skeleton.columns() == columns) return *l;
  }
  throw Error(ErrorCode::format, subject, fmt::format("has {} columns", columns),
              "frames of CMU's layout have 117, those of H3.6M's 99");
}

const Layout& layout_named(const std::string& name) {
  for (const Layout* l : {&cmu_layout(), &h36m_layout()}) {
    if (l->name == name) return *l;
  }
  throw Error(ErrorCode::usage, "layout", fmt::format("is '{}'", name), "give cmu or h36m");
}

}  // namespace fgnn::motion
