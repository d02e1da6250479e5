// A pair of point sets as a network sees it: the points of both sides are the variables, those of
// the first side first, and the factors are
//
//   arc    the k nearest points of each point within its side, itself among them (k = 0: all), and
//          the point, for pairwise messages; its features are the difference of their positions
//   both   one factor over all points of both sides (the paper's figure)
//   sides  the same seen from each side: two factors over all points, whose edges are of one kind
//          on the factor's own side and of another on the other
//   each   one factor over the points of each side
//   near   a factor at each point, over it and its nearest: of kind 0 the point, of kind 1 the
//   others cross  a factor for each point of one side and each of the other, a candidate match; its
//          features are the cosine of the two descriptions and the difference of positions
//
// Features of a variable: its position and `kFeatureScale` times its description, the position
// times `kPositionScale` where there is a description.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/matching/points.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/program.h"

namespace fgnn::matching {

// Descriptions have length about 1.3 over 1024 numbers; so they are as large as positions.
inline constexpr double kFeatureScale = 30;
// Two numbers among a thousand, which a first layer should hear from the start.
inline constexpr double kPositionScale = 16;

struct GraphOptions {
  std::size_t neighbours = 0;
  std::vector<std::string> factors{"each", "both"};  // of both, sides, each, near, cross
  std::size_t feature_width = 0;                     // of points; 0: positions alone

  void validate() const;  // throws Error(usage)
};

network::Schema schema_of(const GraphOptions& options);
network::Batch graph_of(const GraphOptions& options, const PointSet& first, const PointSet& second);

// The options of graphs that a network of this schema takes; `neighbours` is not in it.
GraphOptions options_of(const network::Schema& schema, std::size_t neighbours);

// By point: its k nearest, itself first, ties by number.
std::vector<std::vector<std::size_t>> nearest(const std::vector<Point>& points, std::size_t k);

}  // namespace fgnn::matching
