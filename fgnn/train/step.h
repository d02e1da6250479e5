// One step of training: forwards, loss, backwards, sums over processes, optimiser.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/network/learner.h"
#include "fgnn/tasks/task.h"
#include "fgnn/train/batches.h"
#include "fgnn/train/optimiser.h"

namespace fgnn::train {

class Stepper {
 public:
  Stepper(network::Learner<float>& learner, Optimiser& optimiser, tasks::Loss loss, int threads,
          kernels::Products products, cluster::Group& group);

  struct Outcome {
    double loss = 0;      // mean of the batch, of all processes
    double gradient = 0;  // its norm before clipping; weights are unchanged if either is not finite
  };
  // `parts` are this process's, of which the first has the number `first_part` among all.
  Outcome step(const Parts& parts, std::size_t first_part, std::uint64_t seed, double rate);

 private:
  void backward(const Parts& parts, std::size_t first_part, std::uint64_t seed);
  void complete(std::size_t begin, std::size_t end);
  void send();

  network::Learner<float>& learner_;
  Optimiser& optimiser_;
  const tasks::Loss loss_;
  const int threads_;
  const kernels::Products products_;
  cluster::Group& group_;
  std::vector<tasks::Metrics> measured_;                   // by part
  std::vector<std::pair<std::size_t, std::size_t>> done_;  // of the gradient, not yet sent
  std::size_t unsent_ = 0;
};

}  // namespace fgnn::train
