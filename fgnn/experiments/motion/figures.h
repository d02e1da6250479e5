// Bodies as stick figures: SVG that moves by itself (SMIL, no script), or frames side by side.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/motion/skeleton.h"

namespace fgnn::motion {

// One body, frame by frame: all joints of a skeleton.
struct Track {
  std::string label;
  std::vector<std::vector<Vector>> frames;
};

struct FigureOptions {
  std::size_t observed = 0;  // frames at the beginning that are drawn in grey
  double seconds = 0.04;     // that a frame stays
};

// Tracks side by side, seen half from the side, repeated for ever.
std::string moving_figures(const Skeleton& skeleton, const std::vector<Track>& tracks,
                           const FigureOptions& options);

// One track, every `every`-th frame, from left to right.
std::string still_figures(const Skeleton& skeleton, const Track& track, std::size_t every,
                          const FigureOptions& options);

}  // namespace fgnn::motion
