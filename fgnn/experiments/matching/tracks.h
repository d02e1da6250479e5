// Points followed through the frames of a film (CMU house and hotel): a table with the columns
// frame, point, x, y, both numbers counted from 0, every frame with the same points. Point i of one
// frame corresponds to point i of every other.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/matching/points.h"

namespace fgnn::matching {

// By frame, in pixels. Throws Error(format) naming file:line:column.
std::vector<std::vector<Point>> parse_tracks(std::string_view text, const std::string& file);
std::vector<std::vector<Point>> read_tracks(const std::filesystem::path& file);

}  // namespace fgnn::matching
