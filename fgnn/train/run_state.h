// What a run has come to: the numbers of its checkpoint, the network at work and its optimiser. How
// it is taken from a checkpoint, made the same in all processes, saved, and given out as a model.
#pragma once

#include <filesystem>
#include <initializer_list>

#include "fgnn/cluster/group.h"
#include "fgnn/network/learner.h"
#include "fgnn/train/checkpoint.h"
#include "fgnn/train/optimiser.h"

namespace fgnn::train {

struct RunState : Checkpoint {
  RunState(Checkpoint begun, const TrainOptions& options, int threads);
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  network::Learner<float> learner;
  Optimiser optimiser;

  // The optimiser takes over what the checkpoint holds of it.
  void resume();
  // The first process's state, and these flags, to all: the others need no files.
  void share(cluster::Group& group, std::initializer_list<bool*> flags);
  void share_weights(cluster::Group& group);

  // The weights as they are, or the averaged ones where there are any.
  network::Model current(bool averaged) const;
  // These are the best so far. Those of the last step are at hand anyway.
  void keep_best(const network::Model& now, bool last);
  network::Model best_model() const;
  void save(const std::filesystem::path& file) const;
};

}  // namespace fgnn::train
