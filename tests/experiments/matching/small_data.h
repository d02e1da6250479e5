// A small folder of keypoints, in memory or on disk: classes with objects that show some of six
// keypoints.
#pragma once

#include <filesystem>
#include <fstream>

#include "fgnn/core/random.h"
#include "fgnn/experiments/matching/keypoint_data.h"
#include "fgnn/io/safetensors.h"

namespace fgnn::testing {

struct SmallKeypoints {
  static constexpr std::size_t kNames = 6, kWidth = 8;
  matching::KeypointTable table;
  std::vector<std::uint8_t> features;
};

// `objects` of each of two classes, a quarter of them for tests; each keypoint is shown with
// probability `shown`. Positions and features tell the keypoints apart, with some noise.
inline SmallKeypoints make_small_keypoints(std::size_t objects, double shown, std::uint64_t seed) {
  constexpr std::size_t kNames = SmallKeypoints::kNames, kWidth = SmallKeypoints::kWidth;
  SmallKeypoints made;
  auto& [table, features] = made;
  table.classes = {"cat", "dog"};
  for (std::size_t k = 0; k < kNames; ++k) table.names.push_back("k" + std::to_string(k));
  Rng rng(seed);
  for (std::uint32_t c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < objects; ++i) {
      matching::KeypointObject o;
      o.of_class = c;
      o.test = 4 * i >= 3 * objects;
      o.image = "i" + std::to_string(table.objects.size());
      o.number = 1;
      o.width = o.height = 100;
      o.row = table.rows;
      for (std::uint32_t k = 0; k < kNames; ++k) {
        if (rng.uniform() > shown) continue;
        o.names.push_back(k);
        o.pixels.push_back({15.0 * k + 10 + rng.uniform(-4, 4), 50 + rng.uniform(-20, 20)});
        for (std::size_t f = 0; f < kWidth; ++f) {
          features.push_back(static_cast<std::uint8_t>((f == k ? 200 : 20) + rng.below(40)));
        }
      }
      table.rows += o.names.size();
      table.objects.push_back(std::move(o));
    }
  }
  return made;
}

inline std::shared_ptr<const matching::KeypointData> small_keypoints(std::size_t objects = 12,
                                                                     double shown = 0.8,
                                                                     std::uint64_t seed = 1) {
  auto made = make_small_keypoints(objects, shown, seed);
  return std::make_shared<const matching::KeypointData>(
      std::move(made.table), std::move(made.features), SmallKeypoints::kWidth);
}

// The same as the files of a folder.
inline void write_small_keypoints(const std::filesystem::path& folder, std::size_t objects = 12,
                                  double shown = 0.8, std::uint64_t seed = 1) {
  const auto made = make_small_keypoints(objects, shown, seed);
  std::ofstream(folder / "keypoints.tsv") << made.table.text();
  TensorFile tensors;
  const auto rows = static_cast<std::int64_t>(made.table.rows);
  const std::vector<float> scale(SmallKeypoints::kWidth, 1.0f / (255.0f * 255.0f));
  tensors.add("features", {rows, std::int64_t{SmallKeypoints::kWidth}}, made.features);
  tensors.add("scale", {std::int64_t{SmallKeypoints::kWidth}}, scale);
  write_safetensors(folder / "features.safetensors", tensors);
}

}  // namespace fgnn::testing
