// Labels for a file (label_file.h): the exact MAP of many instances of a stream, found once.
#pragma once

#include <filesystem>

#include "fgnn/core/control.h"
#include "fgnn/experiments/synthetic/label_file.h"

namespace fgnn::synthetic {

struct LabellingOptions {
  SyntheticOptions data;  // with the seed of the test set, as for SyntheticTask
  tasks::Stream stream = tasks::Stream::train;
  std::uint64_t count = 1000;  // instances 0 … count - 1
  double time_limit = 60;      // seconds of branch and bound, where the frontier is too large
  int threads = 1;
  Control control;  // who looks on, and may ask to stop: what was found until then is in the file
};

// The frontier's dynamic programme, or branch and bound under the time limit.
// Throws Error(interrupted) when it was asked to stop.
LabelLine find_label(const SyntheticInstance& instance, double time_limit, StopToken stop = {});

// Adds what the file in the folder does not have yet; stopped at any moment, it goes on. Returns
// how many were added.
std::uint64_t label(const std::filesystem::path& folder, const LabellingOptions& options);

}  // namespace fgnn::synthetic
