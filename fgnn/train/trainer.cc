#include "fgnn/train/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "fgnn/core/control.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/random.h"
#include "fgnn/core/timing.h"
#include "fgnn/train/open_run.h"
#include "fgnn/train/run_log.h"
#include "fgnn/train/run_state.h"
#include "fgnn/train/step.h"

namespace fgnn::train {
namespace {

using tasks::Stream;

constexpr std::size_t kEvaluated = 128;  // graphs of a validation that are run together

class Run {
 public:
  Run(const tasks::Task& task, network::Description description, const network::Model* from,
      const TrainOptions& options, const RunFolder& folder, cluster::Group& group,
      const Watcher& watcher)
      : task_(task),
        options_(options),
        folder_(folder),
        group_(group),
        watcher_(watcher),
        threads_(options.threads > 0 ? options.threads : default_threads()),
        state_(begin(std::move(description), from), options_, threads_),
        stepper_(state_.learner, state_.optimiser, task_.loss(), threads_,
                 options.products == "bf16" ? kernels::Products::bf16 : kernels::Products::full,
                 group_) {
    restore();
    for (auto& w : state_.model.weights) std::vector<double>().swap(w);  // the learner has them
  }

  TrainReport run() {
    const Stopwatch watch;
    TrainReport report;
    const std::uint64_t first = report.first_step = state_.step;
    const BatchPlan plan = this->plan();
    if (begins_somewhere_) validate(1, 0);
    Batches batches(task_, plan, first, options_.steps, options_.workers);
    Stage stage(options_.control, "training", static_cast<double>(options_.steps - first));
    double saved_at = 0;
    while (state_.step < options_.steps && !stop_ && !report.interrupted) {
      const double loss = step(*batches.next(), plan.first_part);
      if (state_.step == first + 1) report.first_loss = loss;
      report.last_loss = loss;
      state_.loss_sum += loss;
      state_.loss_steps += 1;
      const bool last = state_.step == options_.steps;
      if (state_.step % options_.interval == 0 || last) {
        validate(watch.seconds(), static_cast<double>(state_.step - first));
      }
      const double now = watch.seconds();
      // All processes stop after the same step.
      report.interrupted = !last && group_.any(options_.control.stop.stop_requested());
      if (state_.step % options_.interval == 0 || last || stop_ || report.interrupted ||
          now - saved_at >= options_.checkpoint_seconds) {
        save(now - saved_at);
        saved_at = now;
      }
      if (stage.watched()) note(stage, now, static_cast<double>(state_.step - first));
      stage.advance();
    }
    report.steps = state_.step;
    report.seconds = watch.seconds();
    report.all_seconds = state_.seconds;
    report.instances_per_second =
        static_cast<double>((state_.step - first) * options_.batch) / report.seconds;
    report.stopped_early = stop_;
    state_.learner.release_memory();
    report.model = state_.best_model();
    if (task_.has(Stream::validation) && !report.interrupted) {
      report.validation = evaluate(report.model);
    }
    if (writes()) plot_curve(folder_.path);
    return report;
  }

 private:
  bool writes() const { return group_.first() && !folder_.path.empty(); }

  void check_parts() const {
    const std::uint64_t parts = options_.parts_of(group_.size(), 0);  // enough, with any weights
    if (parts >= group_.size()) return;
    throw Error(
        ErrorCode::usage, "batch",
        fmt::format("cannot be shared out: {} parts for {} processes", parts, group_.size()),
        "take larger batches or fewer processes");
  }

  BatchPlan plan() const {
    const std::uint64_t parts =
        options_.parts_of(group_.size(), state_.model.program.trained_numbers());
    const cluster::Share mine = cluster::share(parts, group_);
    return {options_.batch, options_.seed, task_.size(Stream::train), parts, mine.begin, mine.end};
  }

  // What must be the same when a run goes on, and in all processes.
  std::string identity(const network::Description& description) const {
    nlohmann::ordered_json json;
    json["task"] = task_.name();
    json["settings"] = task_.settings();
    json["network"] = nlohmann::json::parse(description.json());
    json["train"] = nlohmann::ordered_json::parse(options_.json());
    for (const char* free : {"threads", "workers", "checkpoint_seconds"}) json["train"].erase(free);
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  Checkpoint begin(network::Description description, const network::Model* from) {
    options_.validate();
    check_parts();
    if (!task_.has(Stream::train)) {
      throw Error(ErrorCode::usage, task_.name(), "has nothing to train on");
    }
    task_.check_training();
    description.schema = task_.schema();
    if (from != nullptr && description.json() != from->description.json()) {
      throw Error(ErrorCode::usage, "the network to start from",
                  fmt::format("does not fit the graphs of the task {}", task_.name()),
                  "see fgnn model describe");
    }
    const std::string identity = this->identity(description);
    group_.check_same("options of training", identity);
    Checkpoint state;
    if (writes()) {
      if (std::optional<Checkpoint> run = open_run(folder_, identity, lock_)) {
        resumed_ = true;
        return std::move(*run);
      }
    }
    state.model = from != nullptr ? *from : network::Model(std::move(description), options_.seed);
    state.model.metadata = task_.settings();
    for (const char* kept : {"algorithm", "iterations"}) {  // of a compiled network
      if (from != nullptr && from->metadata.contains(kept)) {
        state.model.metadata[kept] = from->metadata.at(kept);
      }
    }
    begins_somewhere_ = from != nullptr;
    state.model.metadata["task"] = task_.name();
    state.options = identity;
    state.best_measure = -std::numeric_limits<double>::infinity();
    return state;
  }

  void restore() {
    if (resumed_) {
      state_.resume();
      stop_ = options_.patience > 0 && state_.since_best >= options_.patience;
    }
    state_.share(group_, {&stop_, &begins_somewhere_, &resumed_});
    if (writes()) log_ = std::make_unique<RunLog>(folder_.path, state_.step);
  }

  // One step; returns the mean loss of the batch.
  double step(const Parts& parts, std::size_t first_part) {
    const auto outcome = stepper_.step(parts, first_part, Rng(options_.seed, state_.step)(),
                                       options_.rate_at(state_.step, state_.plateaus));
    if (!std::isfinite(outcome.loss)) not_finite("the loss");
    if (!std::isfinite(outcome.gradient)) not_finite("the gradient");
    ++state_.step;
    return outcome.loss;
  }

  [[noreturn]] void not_finite(const char* what) const {
    throw Error(ErrorCode::internal, fmt::format("training, step {}", state_.step),
                fmt::format("{} is not a finite number", what),
                folder_.path.empty()
                    ? "try a smaller rate"
                    : "the last good checkpoint is kept; try a smaller rate or clip");
  }

  tasks::Metrics evaluate(const network::Model& model) {
    return tasks::evaluate(model, task_, Stream::validation, options_.validation, kEvaluated,
                           threads_, group_, {options_.control.observer, {}});
  }

  // All processes measure together and come to the same conclusions.
  void validate(double seconds, double steps) {
    std::map<std::string, double> values;
    if (steps > 0) {
      values = {{"train_loss", state_.loss_sum / state_.loss_steps},
                {"rate", options_.rate_at(state_.step - 1, state_.plateaus)},
                {"instances_per_second", steps * static_cast<double>(options_.batch) / seconds}};
    }
    // Processors of different kinds round differently.
    if (group_.size() > 1) state_.share_weights(group_);
    const network::Model now = state_.current(true);
    double measure = steps > 0 ? -values["train_loss"] : state_.best_measure;
    if (task_.has(Stream::validation) && options_.validation > 0) {
      const auto m = evaluate(now);
      measure = task_.loss()->merit(m);
      note_validation(m, values);
    }
    judge(measure, now, steps > 0);
    state_.loss_sum = state_.loss_steps = 0;
    if (log_) log_->write(state_.step, values);
    if (group_.first() && watcher_) watcher_(state_.step, values);
  }

  void note_validation(const tasks::Metrics& m, std::map<std::string, double>& values) {
    values["validation_loss"] = m.mean_loss();
    if (task_.loss()->counts_correct()) {
      values["validation_accuracy"] = last_accuracy_ = m.accuracy();
      values["validation_solved"] = m.solved_share();
    }
    for (const auto& named : m.named) values["validation_" + named.name] = named.value();
  }

  // Keeps the best model; counts validations without improvement.
  void judge(double measure, const network::Model& now, bool counts) {
    if (measure > state_.best_measure) {
      state_.best_measure = measure;
      state_.since_best = state_.since_plateau = 0;
      state_.keep_best(now, state_.step >= options_.steps);
      if (writes()) network::save_model(folder_.file("model.safetensors"), now);
    } else if (counts) {
      ++state_.since_best;
      stop_ = options_.patience > 0 && state_.since_best >= options_.patience;
      if (++state_.since_plateau > options_.every) {
        ++state_.plateaus;
        state_.since_plateau = 0;
      }
    }
  }

  void save(double seconds) {
    state_.seconds += seconds;
    if (writes()) state_.save(folder_.file("checkpoint.safetensors"));
  }

  void note(Stage& stage, double seconds, double steps) const {
    stage.note(fmt::format(
        "loss {:.4f}{}  {:.0f} instances/s",
        state_.loss_steps > 0 ? state_.loss_sum / state_.loss_steps : 0,
        last_accuracy_ > 0 ? fmt::format("  accuracy {:.2f} %", 100 * last_accuracy_) : "",
        steps * static_cast<double>(options_.batch) / std::max(seconds, 1e-9)));
  }

  const tasks::Task& task_;
  const TrainOptions options_;
  const RunFolder folder_;
  cluster::Group& group_;
  const Watcher& watcher_;
  const int threads_;
  FolderLock lock_;
  bool resumed_ = false, begins_somewhere_ = false, stop_ = false;
  double last_accuracy_ = 0;
  RunState state_;
  Stepper stepper_;
  std::unique_ptr<RunLog> log_;
};

}  // namespace

TrainReport train(const tasks::Task& task, network::Description description,
                  const TrainOptions& options, const RunFolder& folder, cluster::Group& group,
                  const Watcher& watcher) {
  return Run(task, std::move(description), nullptr, options, folder, group, watcher).run();
}

TrainReport train(const tasks::Task& task, const network::Model& from, const TrainOptions& options,
                  const RunFolder& folder, cluster::Group& group, const Watcher& watcher) {
  return Run(task, from.description, &from, options, folder, group, watcher).run();
}

}  // namespace fgnn::train
