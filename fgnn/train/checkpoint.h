// A run as it stands: one safetensors file, written whole or not at all, from which training goes
// on bit for bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/network/model.h"

namespace fgnn::train {

struct Checkpoint {
  network::Model model;  // the weights of the step, running moments included
  std::uint64_t step = 0;
  std::vector<float> first, second, average;  // of the optimiser
  std::vector<float> best;                    // the best model's weights, one after another
  double best_measure = 0;                    // larger is better
  std::uint64_t since_best = 0;
  std::uint64_t plateaus = 0, since_plateau = 0;  // of schedule=plateau
  double seconds = 0;                             // trained so far
  double loss_sum = 0, loss_steps = 0;            // since the last validation
  std::string options;                            // TrainOptions and task, as they were given
};

void save_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
// Throws Error(format) naming what is missing.
Checkpoint load_checkpoint(const std::filesystem::path& file);

}  // namespace fgnn::train
