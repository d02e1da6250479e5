// The processes of one training run. A single process is a group of one.
//
// Several are started as `torchrun` or Slurm start them: RANK, WORLD_SIZE, MASTER_ADDR and
// MASTER_PORT in the environment. They talk through torch's c10d with Gloo. The gradient is summed
// in buckets, each as soon as the backward pass has finished it.
#pragma once

#include <memory>
#include <span>

#include "fgnn/nn/module.h"

namespace fgnn::train {

class Group {
 public:
  // Reads the environment and connects. Throws Error(usage) for half an environment, Error(io) when
  // the others do not come.
  static std::unique_ptr<Group> from_environment();
  virtual ~Group() = default;

  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  // In place, over all processes.
  virtual void sum(std::span<double>) {}
  virtual void broadcast(std::span<float>) {}
  virtual void broadcast(std::span<double>) {}

  // Watches the module: from now on every backward pass ends with `finish_gradients`.
  virtual void attach(nn::Module&) {}
  virtual void finish_gradients() {}
};

}  // namespace fgnn::train
