// Sets of points with descriptions, and pairs of them to be matched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fgnn::matching {

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

// Points of one object. Positions are what networks and solvers see: those of pictures lie in
// [-1, 1] x [-1, 1], the box of the object.
struct PointSet {
  std::vector<Point> at;
  std::vector<float> features;     // size() rows of numbers each; may be empty
  std::vector<std::string> names;  // of the points; may be empty

  std::size_t size() const { return at.size(); }
  std::size_t feature_width() const { return at.empty() ? 0 : features.size() / at.size(); }
};

inline constexpr std::int32_t kNobody = -1;

struct PointPair {
  PointSet first, second;
  std::vector<std::int32_t> partner;  // of the points of `first`, in `second`, or kNobody
};

}  // namespace fgnn::matching
