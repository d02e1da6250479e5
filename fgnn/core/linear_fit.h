// The straight line through points, by least squares, and how much of their spread it explains.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace fgnn {

struct LinearFit {
  double intercept = 0, slope = 0, r_squared = 0;
};

// None of fewer than three points, or where x never changes.
inline std::optional<LinearFit> linear_fit(const std::vector<std::pair<double, double>>& points) {
  if (points.size() < 3) return std::nullopt;
  const auto n = static_cast<double>(points.size());
  double x = 0, y = 0;
  for (const auto& [a, b] : points) {
    x += a / n;
    y += b / n;
  }
  double xx = 0, xy = 0, yy = 0;
  for (const auto& [a, b] : points) {
    xx += (a - x) * (a - x);
    xy += (a - x) * (b - y);
    yy += (b - y) * (b - y);
  }
  if (xx == 0) return std::nullopt;
  const double slope = xy / xx;
  return LinearFit{y - slope * x, slope, yy == 0 ? 1 : slope * xy / yy};
}

}  // namespace fgnn
