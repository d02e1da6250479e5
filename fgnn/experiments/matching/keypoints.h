// Objects of pictures with named keypoints, as a table (docs/formats.md): tab-separated, a line per
// object after the header line
//
//   class split image object xmin ymin width height row count keypoints
//
// where `row` is the object's first row in the file of features, `count` the number of its
// keypoints, and these are "name:x:y;name:x:y", in pixels of the picture. Files may be packed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/matching/points.h"

namespace fgnn::matching {

inline constexpr double kCrop = 256;  // pictures of objects have this many pixels each way

struct KeypointObject {
  std::uint32_t of_class = 0;  // in KeypointTable::classes
  bool test = false;
  std::string image;
  std::uint32_t number = 0;  // of the object in the image
  double xmin = 0, ymin = 0, width = 1, height = 1;
  std::uint64_t row = 0;
  std::vector<std::uint32_t> names;  // in KeypointTable::names, by keypoint
  std::vector<Point> pixels;         // of the picture

  // Positions in the box, from -1 to 1 each way.
  Point in_box(std::size_t keypoint) const;
  bool operator==(const KeypointObject&) const = default;
};

struct KeypointTable {
  std::vector<std::string> classes, names;
  std::vector<KeypointObject> objects;
  std::uint64_t rows = 0;  // of features: the keypoints of all objects

  // "image" or "image:object"; throws Error(usage).
  std::size_t find(std::string_view text) const;
  std::string text() const;  // as it is read
  bool operator==(const KeypointTable&) const = default;
};

// Throws Error(format) naming file:line:column.
KeypointTable parse_keypoints(std::string_view text, const std::string& file);
KeypointTable read_keypoints(const std::filesystem::path& file);

}  // namespace fgnn::matching
