// Random point sets and their distorted copies (Zhang and Lee 2019): inliers uniform in [-1, 1]^2,
// turned, scaled and moved by noise on the other side; outliers of their own on each side.
#pragma once

#include "fgnn/core/random.h"
#include "fgnn/experiments/matching/points.h"

namespace fgnn::matching {

struct RandomPointsOptions {
  std::size_t least_inliers = 30, most_inliers = 59;
  std::size_t least_outliers = 0, most_outliers = 19;  // on each side
  double outlier_range = 1.5;                          // uniform in [-range, range]^2
  double least_noise = 0, most_noise = 0.05;           // standard deviation
  double least_scale = 0.9, most_scale = 1.2;
  double most_turn = 6.283185307179586;  // radians, from 0

  void validate() const;  // throws Error(usage)
  // The tests of Zhang and Lee: 20 inliers, this much noise and so many outliers in [-1, 1]^2,
  // turned by up to pi, not scaled.
  static RandomPointsOptions test(double noise, std::size_t outliers);
};

// Points in random order on both sides, each side centred on its mean and scaled to radius 1.
PointPair random_points(const RandomPointsOptions& options, Rng& random);

// Moves the mean to 0 and divides by the largest distance from it (where that is above 0).
void centre(std::vector<Point>& points);
void turn(std::vector<Point>& points, double radians);

}  // namespace fgnn::matching
