#include "fgnn/experiments/matching/random_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "fgnn/core/error.h"

namespace fgnn::matching {
namespace {

// The set in a random order, and where each point has gone.
std::vector<std::int32_t> mix(std::vector<Point>& points, Rng& random) {
  std::vector<std::int32_t> order(points.size()), place(points.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  std::vector<Point> mixed;
  for (std::size_t i = 0; i < order.size(); ++i) {
    mixed.push_back(points[order[i]]);
    place[order[i]] = static_cast<std::int32_t>(i);
  }
  points = std::move(mixed);
  return place;
}

}  // namespace

void RandomPointsOptions::validate() const {
  const auto check = [](bool holds, const char* field, const char* what) {
    if (!holds) throw Error(ErrorCode::usage, field, what);
  };
  check(least_inliers >= 2 && least_inliers <= most_inliers && most_inliers <= 10000, "inliers",
        "must be 2 to 10000, the least first");
  check(least_outliers <= most_outliers && most_outliers <= 10000, "outliers",
        "must be up to 10000, the least first");
  check(least_noise >= 0 && least_noise <= most_noise && std::isfinite(most_noise), "noise",
        "must not be negative");
  check(least_scale > 0 && least_scale <= most_scale && std::isfinite(most_scale), "scale",
        "must be above 0");
  check(outlier_range > 0 && std::isfinite(outlier_range), "outlier_range", "must be above 0");
}

RandomPointsOptions RandomPointsOptions::test(double noise, std::size_t outliers) {
  RandomPointsOptions o;
  o.least_inliers = o.most_inliers = 20;
  o.least_outliers = o.most_outliers = outliers;
  o.outlier_range = 1;
  o.least_noise = o.most_noise = noise;
  o.least_scale = o.most_scale = 1;
  o.most_turn = std::numbers::pi;
  return o;
}

void centre(std::vector<Point>& points) {
  Point mean;
  for (const auto& p : points) mean.x += p.x, mean.y += p.y;
  mean.x /= static_cast<double>(points.size());
  mean.y /= static_cast<double>(points.size());
  double radius = 0;
  for (auto& p : points) {
    p = {p.x - mean.x, p.y - mean.y};
    radius = std::max(radius, std::hypot(p.x, p.y));
  }
  if (radius == 0) return;
  for (auto& p : points) p = {p.x / radius, p.y / radius};
}

void turn(std::vector<Point>& points, double radians) {
  const double c = std::cos(radians), s = std::sin(radians);
  for (auto& p : points) p = {c * p.x - s * p.y, s * p.x + c * p.y};
}

PointPair random_points(const RandomPointsOptions& o, Rng& random) {
  const auto between = [&](std::size_t least, std::size_t most) {
    return least + random.below(most - least + 1);
  };
  const std::size_t inliers = between(o.least_inliers, o.most_inliers);
  const std::size_t outliers = between(o.least_outliers, o.most_outliers);
  const double noise = random.uniform(o.least_noise, o.most_noise);
  const double scale = random.uniform(o.least_scale, o.most_scale);
  PointPair pair;
  auto &a = pair.first.at, &b = pair.second.at;
  for (std::size_t i = 0; i < inliers; ++i) {
    a.push_back({random.uniform(-1, 1), random.uniform(-1, 1)});
  }
  b = a;
  turn(b, random.uniform(0, o.most_turn));
  for (auto& p : b) {
    p = {scale * p.x + noise * random.normal(), scale * p.y + noise * random.normal()};
  }
  for (auto* side : {&a, &b}) {
    for (std::size_t i = 0; i < outliers; ++i) {
      side->push_back({random.uniform(-o.outlier_range, o.outlier_range),
                       random.uniform(-o.outlier_range, o.outlier_range)});
    }
    centre(*side);
  }
  const auto place = mix(a, random), other = mix(b, random);
  pair.partner.assign(a.size(), kNobody);
  for (std::size_t i = 0; i < inliers; ++i) pair.partner[place[i]] = other[i];
  return pair;
}

}  // namespace fgnn::matching
