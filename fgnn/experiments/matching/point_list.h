// Points of a picture as a table with the columns name, x, y: a line per point after the header
// line, in pixels from the upper left corner.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/matching/points.h"

namespace fgnn::matching {

struct PointList {
  std::vector<std::string> names;
  std::vector<Point> pixels;
};

// Throws Error(format) naming file:line:column: malformed lines, a name twice, fewer than two
// points.
PointList parse_point_list(std::string_view text, const std::string& file);
PointList read_point_list(const std::filesystem::path& file);

}  // namespace fgnn::matching
