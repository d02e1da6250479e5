#include "fgnn/experiments/motion/rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fgnn::motion {

double length(const Vector& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

double distance(const Vector& a, const Vector& b) {
  return length({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
  }
  return c;
}

Vector row_times(const Vector& row, const Matrix& m) {
  Vector v{};
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 3; ++j) v[j] += row[k] * m[3 * k + j];
  }
  return v;
}

Matrix transposed(const Matrix& m) {
  return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}

Matrix rotation_of(const Vector& r) {
  constexpr double kProtocol = 1e-7;
  const double t = length(r), s = 1 / (t + kProtocol);
  const Vector a{r[0] * s, r[1] * s, r[2] * s};
  const Matrix k{0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  const Matrix k2 = product(k, k);
  const double sine = std::sin(t), rest = 1 - std::cos(t);
  Matrix m = kIdentity;
  for (int i = 0; i < 9; ++i) m[i] += sine * k[i] + rest * k2[i];
  return m;
}

Vector exponential_map_of(const Matrix& m) {
  // R - R^T = 2 sin t K, trace R = 1 + 2 cos t.
  const Vector twice{m[7] - m[5], m[2] - m[6], m[3] - m[1]};
  const double sine = length(twice) / 2, cosine = (m[0] + m[4] + m[8] - 1) / 2;
  const double t = std::atan2(sine, cosine);
  if (cosine > -0.99) {
    const double scale = sine > 1e-8 ? t / (2 * sine) : 0.5;
    return {twice[0] * scale, twice[1] * scale, twice[2] * scale};
  }
  // Near a half turn the sine says nothing; (R + R^T) / 2 = cos t I + (1 - cos t) a a^T does.
  int top = 0;
  for (int i = 1; i < 3; ++i) {
    if (m[4 * i] > m[4 * top]) top = i;
  }
  Vector a{};
  for (int i = 0; i < 3; ++i) {
    const double symmetric = (m[3 * top + i] + m[3 * i + top]) / 2;
    a[i] = symmetric - (i == top ? cosine : 0);
  }
  const double norm = length(a), along = a[0] * twice[0] + a[1] * twice[1] + a[2] * twice[2];
  const double scale = (along < 0 ? -t : t) / norm;
  return {a[0] * scale, a[1] * scale, a[2] * scale};
}

Vector euler_of(const Matrix& m) {
  constexpr double kQuarter = std::numbers::pi / 2;
  if (m[2] == 1 || m[2] == -1) {
    return {std::atan2(m[1], m[2]), m[2] == -1 ? kQuarter : -kQuarter, 0};
  }
  // Rounding may leave a number just above 1, which no arc sine takes.
  const double e2 = -std::asin(std::clamp(m[2], -1.0, 1.0)), c = std::cos(e2);
  return {std::atan2(m[5] / c, m[8] / c), e2, std::atan2(m[1] / c, m[0] / c)};
}

Matrix turn_about(int axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  Matrix m{};
  m[4 * axis] = 1;
  m[4 * i] = m[4 * j] = c;
  m[3 * i + j] = -s;
  m[3 * j + i] = s;
  return m;
}

}  // namespace fgnn::motion
