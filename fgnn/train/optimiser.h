// Adam on a network's flat weights, with clipping and averaged weights.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/network/learner.h"
#include "fgnn/train/options.h"

namespace fgnn::train {

class Optimiser {
 public:
  Optimiser(network::Learner<float>& learner, const TrainOptions& options, int threads);

  // One step along the gradient times `scale`; returns the norm of that before clipping. A norm
  // that is not finite changes nothing.
  double step(double rate, double scale);

  // State, for checkpoints.
  std::uint64_t steps = 0;
  std::vector<float> first, second, average;  // average: empty without averaging

 private:
  network::Learner<float>& learner_;
  const TrainOptions& options_;
  int threads_;
};

}  // namespace fgnn::train
