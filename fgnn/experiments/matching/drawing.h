// Two objects side by side with their points, and lines between those that were matched, as SVG:
// green where the partner is right, red where it is wrong, blue where nobody knows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fgnn/experiments/matching/points.h"
#include "fgnn/experiments/matching/scores.h"

namespace fgnn::matching {

struct DrawnSide {
  PointSet points;  // in the box, from -1 to 1
  std::string caption;
  std::string picture;  // the bytes of a JPEG or PNG of the box; may be empty
};

// `partner`: the right ones, where they are known.
std::string drawing(const DrawnSide& first, const DrawnSide& second, const Matching& matching,
                    const std::optional<std::vector<std::int32_t>>& partner);

}  // namespace fgnn::matching
