// The pairs of pictures in a folder of keypoints: pictures/CLASS_a_IMAGE_OBJECT.jpg and the same
// with b, crops of objects of the table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/experiments/matching/keypoint_data.h"

namespace fgnn::matching {

struct PicturePair {
  std::string first_name, second_name;  // IMAGE:OBJECT
  std::filesystem::path first_picture, second_picture;
  PointPair points;  // by the intersection protocol
};

// In the order of their names; none where there is no such folder. Throws Error(format) for a
// picture that belongs to no object.
std::vector<PicturePair> picture_pairs(const std::filesystem::path& folder,
                                       const KeypointData& data);

}  // namespace fgnn::matching
