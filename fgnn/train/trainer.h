// Training: steps over batches of a task, validation, checkpoints, the best model kept.
#pragma once

#include <functional>
#include <string>

#include "fgnn/cluster/group.h"
#include "fgnn/network/model.h"
#include "fgnn/tasks/task.h"
#include "fgnn/train/options.h"
#include "fgnn/train/run_folder.h"

namespace fgnn::train {

struct TrainReport {
  std::uint64_t steps = 0;
  std::uint64_t first_step = 0;                  // where this call went on
  double seconds = 0, instances_per_second = 0;  // of this call
  double all_seconds = 0;  // with those of the calls that this one went on from
  double first_loss = 0, last_loss = 0;
  tasks::Metrics validation;  // of the best model
  bool stopped_early = false;
  bool interrupted = false;  // asked to stop: the checkpoint is of the last step
  network::Model model;      // the best
};

// Called after every validation with what was logged.
using Watcher = std::function<void(std::uint64_t step, const std::map<std::string, double>&)>;

// Throws what open_run throws; Error(internal) naming the step when a loss or gradient is not
// finite (the last checkpoint stays). All processes of a group call it with the same options:
// Error(usage) otherwise.
TrainReport train(const tasks::Task& task, network::Description description,
                  const TrainOptions& options, const RunFolder& folder,
                  cluster::Group& group = cluster::alone(), const Watcher& watcher = {});

// From the weights of a model, compiled or trained, whose graphs look like the task's; the first
// line of the log is its validation at step 0. Throws Error(usage) when they do not.
TrainReport train(const tasks::Task& task, const network::Model& from, const TrainOptions& options,
                  const RunFolder& folder, cluster::Group& group = cluster::alone(),
                  const Watcher& watcher = {});

}  // namespace fgnn::train
