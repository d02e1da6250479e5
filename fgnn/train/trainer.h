// Training: steps over batches of a task, validation, checkpoints, the best model kept.
//
// The folder of a run:
//   config.json               what was asked for
//   checkpoint.safetensors    the run as it stands; --resume goes on from it, bit for bit
//   model.safetensors         the best model so far by validation (averaged weights if asked for)
//   metrics.jsonl, events.*   losses and accuracies as they came
//   curve.svg                 the learning curve
//   .lock                     held while a process trains here
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "fgnn/network/model.h"
#include "fgnn/tasks/task.h"
#include "fgnn/train/group.h"
#include "fgnn/train/options.h"

namespace fgnn::train {

struct TrainReport {
  std::uint64_t steps = 0;
  std::uint64_t first_step = 0;                  // where this call went on
  double seconds = 0, instances_per_second = 0;  // of this call
  double first_loss = 0, last_loss = 0;
  tasks::Metrics validation;  // of the best model
  bool stopped_early = false;
  network::Model model;  // the best
};

// What is expected of a run's folder: no run yet, one to go on with, or either.
enum class Start { begin, resume, resume_or_begin };

struct RunFolder {
  std::filesystem::path path;  // empty: nothing is written
  Start start = Start::begin;
};

// Called after every validation with what was logged.
using Watcher = std::function<void(std::uint64_t step, const std::map<std::string, double>&)>;

// Throws Error(io) when the folder holds a run to begin anew, none to go on with, or one of another
// process; Error(internal) naming the step when a loss or gradient is not finite (the last
// checkpoint stays).
TrainReport train(const tasks::Task& task, network::Description description,
                  const TrainOptions& options, const RunFolder& folder, Group& group,
                  const Watcher& watcher = {});

// From the weights of a model, compiled or trained, whose graphs look like the task's; the first
// line of the log is its validation at step 0. Throws Error(usage) when they do not.
TrainReport train(const tasks::Task& task, const network::Model& from, const TrainOptions& options,
                  const RunFolder& folder, Group& group, const Watcher& watcher = {});

}  // namespace fgnn::train
