// Quadratic steps of many factors of one form at once, one factor per SIMD lane: pairs of binary
// variables, and counts of binary variables between two limits (budgets, exactly one, or). These
// are the closed forms of projections.h that models are full of.
//
// Coordinate i of the factor in lane j of a group is local coordinate first + i * lanes + j. Lanes
// are padded to a multiple of kLanes with factors whose coordinates are nobody's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fgnn::admm {

inline constexpr std::size_t kLanes = 8;  // no vector of doubles is longer

struct LaneGroup {
  bool pair = false;  // else a count
  std::uint32_t first = 0, lanes = 0, arity = 0;
  std::uint32_t factors = 0;        // lanes in use
  std::vector<double> coupling;     // pair: of y_1 y_2
  std::vector<double> least, most;  // count: limits of the sum
  std::vector<double> shift;        // count: where its projection starts

  std::size_t end() const { return first + std::size_t{arity} * lanes; }
};

// What all groups read and write, by local coordinate; `at` by the global coordinate it copies.
struct LaneArrays {
  const std::int64_t* at;
  const double* p;  // global
  double* shares;
  double* q;
  double* scratch;  // kLanes numbers per position of the longest count
};

// q from p and the shares.
void step_lanes(LaneGroup& group, const LaneArrays& arrays, double step);

// shares -= step (q - p) for the first `n` local coordinates (a multiple of kLanes); returns
// |q - p|^2.
double share_lanes(std::size_t n, const LaneArrays& arrays, double step);

}  // namespace fgnn::admm
