// Rotations in three dimensions: exponential maps (axis times angle, radian), matrices and Euler
// angles.
//
//   R(r) = I + sin t K + (1 - cos t) K^2,  t = |r|,  K = [a]x,  a = r / (t + 1e-7)      (Rodrigues)
//
// The 1e-7 is the protocol's (Martinez et al. 2017). Rows are multiplied from the left, as the
// files of exponential maps want it: v' = v R. In a column world the same rotation is R^T.
#pragma once

#include <array>

namespace fgnn::motion {

using Vector = std::array<double, 3>;
using Matrix = std::array<double, 9>;  // row by row

inline constexpr Matrix kIdentity{1, 0, 0, 0, 1, 0, 0, 0, 1};

double length(const Vector& v);
double distance(const Vector& a, const Vector& b);
Matrix product(const Matrix& a, const Matrix& b);
Vector row_times(const Vector& row, const Matrix& m);
Matrix transposed(const Matrix& m);

Matrix rotation_of(const Vector& exponential_map);

// With the angle in 0 … pi. Half turns have two axes; the one whose largest number is above 0 is
// taken.
Vector exponential_map_of(const Matrix& rotation);

// As the field's angle error wants them: E2 = -asin R02, E1 = atan2(R12 / cos E2, R22 / cos E2),
// E3 = atan2(R01 / cos E2, R00 / cos E2); where R02 = ±1, E3 = 0, E2 = ∓pi/2, E1 = atan2(R01, R02).
Vector euler_of(const Matrix& rotation);

// The matrix for columns that turns by `angle` (radian) about an axis: 0 x, 1 y, 2 z.
Matrix turn_about(int axis, double angle);

}  // namespace fgnn::motion
