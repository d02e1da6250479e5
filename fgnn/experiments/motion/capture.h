// A user's own capture: frames of exponential maps from BVH or text, at the rate that networks
// were trained on, and back.
//
// Networks know frames of 1/60 s for CMU's skeleton (every second of 120 per second, which the
// field counts as 40 ms) and of 1/25 s for H3.6M's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fgnn/experiments/motion/bvh.h"
#include "fgnn/experiments/motion/layout.h"

namespace fgnn::motion {

struct Capture {
  const Layout* layout = nullptr;
  Frames frames;             // kept ones
  Bvh hierarchy;             // for writing; its own frames are gone
  double frame_seconds = 0;  // of a kept frame
  std::size_t every = 1;     // frames of the file to one that is kept
};

// By its ending: .bvh, or text of 99 or 117 columns (packed or not). `every` 0: as many as come
// nearest to the networks' rate; text is taken for 120 (CMU) or 50 (H3.6M) frames per second.
// Throws Error(format) for a hierarchy that is neither skeleton.
Capture read_capture(const std::filesystem::path& file, std::size_t every);

// In the format that the ending names; .bvh or .txt. Throws Error(usage) for others.
void write_capture(const std::filesystem::path& file, const Capture& like, const Frames& frames);
// Throws Error(usage) where write_capture would.
void check_capture_name(const std::filesystem::path& file);

}  // namespace fgnn::motion
