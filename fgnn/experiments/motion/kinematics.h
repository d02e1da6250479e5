// Forward kinematics: from exponential maps to the places of joints, in mm.
//
// Rows, with parent p > 0: p_i = offset_i R_p + p_p, R_i = R(r_i) R_p; with parent 0 or none p_i =
// offset_i and R_i = R(r_i). The protocol sets the first six columns to 0 and never turns the
// root's children by the root, so that global motion is left out.
#pragma once

#include <span>
#include <vector>

#include "fgnn/experiments/motion/skeleton.h"

namespace fgnn::motion {

// One place per joint. `frame` has skeleton.columns() numbers, of which the first six are not read.
std::vector<Vector> joint_places(const Skeleton& skeleton, std::span<const double> frame);

// The same where the body stands and as it is turned, for drawings: the root's translation (times
// `unit` mm) and rotation are those of the frame.
std::vector<Vector> global_places(const Skeleton& skeleton, std::span<const double> frame,
                                  double unit);

}  // namespace fgnn::motion
