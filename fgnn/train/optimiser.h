// Adam on a module's flat parameters, with clipping and averaged weights.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/nn/module.h"
#include "fgnn/train/options.h"

namespace fgnn::train {

class Optimiser {
 public:
  Optimiser(nn::Module& module, const TrainOptions& options, int threads);

  // One step; returns the norm of the gradient before clipping. A norm that is not finite changes
  // nothing.
  double step(double rate);

  // State, for checkpoints.
  std::uint64_t steps = 0;
  std::vector<float> first, second, average;  // average: empty without averaging

 private:
  nn::Module& module_;
  const TrainOptions& options_;
  int threads_;
};

}  // namespace fgnn::train
