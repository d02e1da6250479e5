// Made-up motions in the layouts of the data sets: smooth angles of the used columns.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>

#include "fgnn/core/random.h"
#include "fgnn/experiments/motion/corpus.h"

namespace fgnn::testing {

inline motion::Frames made_up_motion(const motion::Layout& layout, std::size_t frames,
                                     std::uint64_t seed) {
  Rng random(seed);
  motion::Frames f{"made-up", layout.skeleton.columns(), {}};
  std::vector<double> speed(f.columns), size(f.columns), phase(f.columns);
  for (const std::size_t c : layout.angle_columns) {
    speed[c] = random.uniform(0.02, 0.1);
    size[c] = random.uniform(0.1, 0.5);
    phase[c] = random.uniform(0, 6);
  }
  for (std::size_t t = 0; t < frames; ++t) {
    std::vector<double> row(f.columns);
    for (std::size_t c = 0; c < f.columns; ++c) {
      row[c] = size[c] * std::sin(speed[c] * static_cast<double>(t) + phase[c]);
    }
    row[0] = static_cast<double>(t);
    f.add(row);
  }
  return f;
}

inline void write_motion(const std::filesystem::path& file, const motion::Frames& frames) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << motion::frames_text(frames);
}

// All subjects, actions and trials of H3.6M, `frames` each at 50 per second.
inline void write_h36m(const std::filesystem::path& folder, std::size_t frames) {
  std::uint64_t seed = 0;
  for (const char* subject : {"S1", "S5", "S11"}) {
    for (const auto& action : motion::h36m_actions()) {
      for (const char* trial : {"_1.txt", "_2.txt"}) {
        write_motion(folder / subject / (action + trial),
                     made_up_motion(motion::h36m_layout(), frames, ++seed));
      }
    }
  }
}

// The release's folders of CMU, one training and one test sequence for each action.
inline void write_cmu(const std::filesystem::path& folder, std::size_t frames) {
  std::uint64_t seed = 100;
  for (const char* split : {"train", "test"}) {
    for (const auto& action : motion::cmu_actions()) {
      write_motion(folder / split / action / (action + "_1.txt"),
                   made_up_motion(motion::cmu_layout(), frames, ++seed));
    }
  }
}

}  // namespace fgnn::testing
