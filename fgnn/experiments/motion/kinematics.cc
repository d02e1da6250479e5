#include "fgnn/experiments/motion/kinematics.h"

namespace fgnn::motion {
namespace {

Vector plus(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

Matrix turn_of(std::span<const double> frame, std::size_t joint) {
  const double* r = frame.data() + 3 + 3 * joint;
  return rotation_of({r[0], r[1], r[2]});
}

std::vector<Vector> places(const Skeleton& skeleton, std::span<const double> frame,
                           const Vector& at, const Matrix& root) {
  std::vector<Vector> place(skeleton.size());
  std::vector<Matrix> turned(skeleton.size());
  place[0] = at;
  turned[0] = root;
  for (std::size_t j = 1; j < skeleton.size(); ++j) {
    const auto parent = static_cast<std::size_t>(skeleton.joints[j].parent);
    place[j] = plus(row_times(skeleton.joints[j].offset, turned[parent]), place[parent]);
    turned[j] = product(turn_of(frame, j), turned[parent]);
  }
  return place;
}

}  // namespace

std::vector<Vector> joint_places(const Skeleton& skeleton, std::span<const double> frame) {
  auto place = places(skeleton, frame, {}, kIdentity);
  place[0] = skeleton.joints[0].offset;  // which its children do not inherit
  return place;
}

std::vector<Vector> global_places(const Skeleton& skeleton, std::span<const double> frame,
                                  double unit) {
  return places(skeleton, frame, {frame[0] * unit, frame[1] * unit, frame[2] * unit},
                turn_of(frame, 0));
}

}  // namespace fgnn::motion
