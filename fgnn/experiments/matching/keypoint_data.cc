#include "fgnn/experiments/matching/keypoint_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/fingerprint.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/safetensors.h"

namespace fgnn::matching {
namespace {

KeypointTable table_of(const std::filesystem::path& folder) {
  for (const char* name : {"keypoints.tsv.xz", "keypoints.tsv", "keypoints.tsv.gz"}) {
    if (file_exists(folder / name)) return read_keypoints(folder / name);
  }
  throw Error(ErrorCode::io, folder.string(), "has no keypoints.tsv.xz",
              "name the folder of keypoints and their features (docs/matching.md)");
}

}  // namespace

KeypointData::KeypointData(const std::filesystem::path& folder) : table_(table_of(folder)) {
  const auto file = folder / "features.safetensors";
  const TensorFile tensors = read_safetensors(file);
  const SavedTensor &features = tensors.at("features"), &scale = tensors.at("scale");
  scale_ = as_floats(scale);
  const std::vector<std::int64_t> wanted{static_cast<std::int64_t>(table_.rows),
                                         static_cast<std::int64_t>(scale_.size())};
  if (features.dtype != DType::u8 || features.shape != wanted || scale_.empty()) {
    throw Error(ErrorCode::format, file.string(),
                fmt::format("features are not bytes of {} x {}", wanted[0], wanted[1]),
                "it belongs to another table of keypoints");
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(features.data.data());
  features_.assign(bytes, bytes + features.data.size());
}

KeypointData::KeypointData(KeypointTable table, std::vector<std::uint8_t> features,
                           std::size_t width)
    : table_(std::move(table)),
      features_(std::move(features)),
      scale_(width, 1.0f / (255.0f * 255.0f)) {
  if (features_.size() != table_.rows * width) {
    throw Error(ErrorCode::usage, "features", "are not one row for each keypoint");
  }
}

PointSet KeypointData::points(const KeypointObject& object,
                              const std::vector<std::size_t>& keypoints, bool features) const {
  PointSet set;
  const std::size_t w = scale_.size();
  if (features) set.features.reserve(keypoints.size() * w);
  for (const std::size_t k : keypoints) {
    set.at.push_back(object.in_box(k));
    set.names.push_back(table_.names[object.names[k]]);
    if (!features) continue;
    const std::uint8_t* q = features_.data() + (object.row + k) * w;
    for (std::size_t c = 0; c < w; ++c) {
      set.features.push_back(scale_[c] * static_cast<float>(q[c]) * static_cast<float>(q[c]));
    }
  }
  return set;
}

PointSet KeypointData::points(const KeypointObject& object) const {
  std::vector<std::size_t> all(object.names.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return points(object, all);
}

std::string KeypointData::fingerprint() const {
  Fingerprint f;
  f.add(table_.text());
  for (const float s : scale_) f.add(double{s});
  // Eight at a time: there may be a hundred million of them.
  for (std::size_t i = 0; i < features_.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, features_.data() + i, std::min(sizeof word, features_.size() - i));
    f.add(word);
  }
  return f.text();
}

}  // namespace fgnn::matching
