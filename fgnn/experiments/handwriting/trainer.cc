// Trains the networks of fgnn reproduce handwriting.
#include "fgnn/experiments/handwriting/trainer.h"

#include <algorithm>
#include <ctime>

#include "fgnn/core/timing.h"
#include "fgnn/experiments/handwriting/network.h"
#include "fgnn/experiments/outcomes.h"

namespace fgnn::handwriting {
namespace {

// Processor time of all threads, so that other programs do not count.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

HandwritingNetwork network_of(const HandwritingRun& run) {
  return {run.kind, has_orders(run.kind) ? run.order : 0, run.rank, run.features};
}

train::TrainOptions options_of(const HandwritingRun& run, const HandwritingTask& task,
                               double epochs, int threads) {
  train::TrainOptions o;
  o.read(handwriting_training(network_of(run), task.of(tasks::Stream::train).size(), epochs),
         "training of handwriting");
  o.seed = run.seed;
  o.threads = threads;
  return o;
}

// An epoch's steps less a few, so that what comes once (drawing the weights) is not counted.
double epoch_seconds(const HandwritingReportOptions& options, const EpochTime& timing) {
  HandwritingRun run;
  run.order = timing.order;
  run.rank = timing.rank;
  const HandwritingTask task(run.task(options.data));
  const auto time_of = [&](std::uint64_t steps) {
    train::TrainOptions o = options_of(run, task, 1, options.threads);
    o.steps = steps;
    o.interval = 1000000;
    o.validation = 0;
    const double before = processor_seconds();
    train::train(task, handwriting_network(network_of(run)), o, {});
    return processor_seconds() - before;
  };
  const train::TrainOptions epoch = options_of(run, task, 1, options.threads);
  constexpr std::uint64_t kFew = 2, kMore = 10;
  const double once = time_of(kFew), more = time_of(kMore);
  return (more - once) / static_cast<double>(kMore - kFew) * static_cast<double>(epoch.steps);
}

}  // namespace

HandwritingTrainer handwriting_trainer(const HandwritingReportOptions& options) {
  HandwritingTrainer trainer;
  trainer.train = [options](const HandwritingRun& run, const HandwritingTask& task,
                            HandwritingOutcome& outcome) {
    const Stopwatch watch;
    const double before = processor_seconds();
    train::TrainOptions how = options_of(run, task, run.epochs, options.threads);
    how.control = options.control;
    const auto report = experiments::train_to_the_end(options.folder, run.name(), task,
                                                      handwriting_network(network_of(run)), how);
    // Of a run that was taken up again only the rest was seen.
    const double whole = std::max(1.0, report.all_seconds / watch.seconds());
    outcome.seconds = whole * (processor_seconds() - before);
    outcome.wall_seconds = whole * watch.seconds();
    outcome.threads = options.threads;
    // What is needed to go on is not needed any more, and is large.
    std::error_code ignored;
    std::filesystem::remove(options.folder / run.name() / "checkpoint.safetensors", ignored);
    return report.model;
  };
  trainer.epoch_seconds = [options](const EpochTime& timing) {
    return epoch_seconds(options, timing);
  };
  return trainer;
}

}  // namespace fgnn::handwriting
