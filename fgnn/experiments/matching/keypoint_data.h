// The folder of keypoints with their descriptions (docs/matching.md): keypoints.tsv.xz and
// features.safetensors, whose tensors are `features` (U8, keypoints x width) and `scale` (F32,
// width): a number is scale q^2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/experiments/matching/keypoints.h"

namespace fgnn::matching {

class KeypointData {
 public:
  // Throws Error(io), and Error(format) where the two files do not fit.
  explicit KeypointData(const std::filesystem::path& folder);
  // For tests: features of each keypoint in a row, scale 1 / 255^2.
  KeypointData(KeypointTable table, std::vector<std::uint8_t> features, std::size_t width);

  const KeypointTable& table() const { return table_; }
  const std::vector<KeypointObject>& objects() const { return table_.objects; }
  std::size_t feature_width() const { return scale_.size(); }

  // Some keypoints of an object, in this order; without features where `features` is false.
  PointSet points(const KeypointObject& object, const std::vector<std::size_t>& keypoints,
                  bool features = true) const;
  PointSet points(const KeypointObject& object) const;  // all of them

  // Differs between folders whose keypoints or descriptions differ, wherever they are.
  std::string fingerprint() const;

 private:
  KeypointTable table_;
  std::vector<std::uint8_t> features_;
  std::vector<float> scale_;
};

}  // namespace fgnn::matching
