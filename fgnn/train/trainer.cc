#include "fgnn/train/trainer.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <malloc.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/progress.h"
#include "fgnn/core/random.h"
#include "fgnn/core/timing.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/folder_lock.h"
#include "fgnn/io/input_file.h"
#include "fgnn/train/batches.h"
#include "fgnn/train/checkpoint.h"
#include "fgnn/train/crew.h"
#include "fgnn/train/loss.h"
#include "fgnn/train/optimiser.h"
#include "fgnn/train/run_log.h"

namespace fgnn::train {
namespace {

namespace fs = std::filesystem;
using tasks::Stream;

// Tensors of a step have the sizes of the last one's: memory given back to the system only to be
// asked for again costs more than some layers.
void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_ARENA_MAX, 1);  // one thread's leavings are another's supply
}

class Run {
 public:
  Run(const tasks::Task& task, network::Description description, const network::Model* from,
      const TrainOptions& options, const RunFolder& folder, Group& group, const Watcher& watcher)
      : task_(task),
        options_(options),
        folder_(folder),
        group_(group),
        watcher_(watcher),
        threads_(options.threads > 0 ? options.threads : default_threads()),
        state_(begin(std::move(description), from)),
        module_(state_.model),
        optimiser_(module_, options_, threads_) {
    replicas_.reserve(threads_);
    for (std::size_t i = 1; i < crew_.size(); ++i) replicas_.push_back(module_.replica());
    if (crew_.size() == 1) module_.context().threads = threads_;
    for (std::size_t m = 0; m < crew_.size(); ++m) {
      if (crew_.size() == 1 && group_.size() == 1) continue;
      member(m).context().reduce = [this, m](std::span<double> values) {
        crew_.sum(m, values, [this](std::span<double> sum) { group_.sum(sum); });
      };
    }
    if (group_.size() > 1) group_.attach(module_);
    restore();
    for (auto& w : state_.model.weights) std::vector<double>().swap(w);  // the module has them
  }

  TrainReport run() {
    const Stopwatch watch;
    TrainReport report;
    const std::uint64_t first = report.first_step = state_.step;
    const BatchPlan plan{options_.batch, options_.seed, group_.rank(), group_.size(),
                         task_.size(Stream::train)};
    if (begins_somewhere_) validate(1, 0);
    Batches batches(task_, plan, crew_.size(), first, options_.steps, options_.workers);
    Progress progress("training", static_cast<double>(options_.steps - first));
    double saved_at = 0;
    while (state_.step < options_.steps && !stop_) {
      const double loss = step(*batches.next());
      if (state_.step == first + 1) report.first_loss = loss;
      report.last_loss = loss;
      state_.loss_sum += loss;
      state_.loss_steps += 1;
      const bool last = state_.step == options_.steps;
      if (state_.step % options_.interval == 0 || last) {
        validate(watch.seconds(), static_cast<double>(state_.step - first));
      }
      const double now = watch.seconds();
      if (state_.step % options_.interval == 0 || last || stop_ ||
          now - saved_at >= options_.checkpoint_seconds) {
        save(now - saved_at);
        saved_at = now;
      }
      note(progress, now, static_cast<double>(state_.step - first));
      progress.advance();
    }
    report.steps = state_.step;
    report.seconds = watch.seconds();
    report.instances_per_second =
        static_cast<double>((state_.step - first) * options_.batch * group_.size()) /
        report.seconds;
    report.stopped_early = stop_;
    report.model = best_model();
    if (task_.has(Stream::validation) && leader()) {
      report.validation = tasks::evaluate(report.model, task_, Stream::validation,
                                          options_.validation, 128, threads_);
    }
    if (writes()) plot_curve(folder_.path);
    return report;
  }

 private:
  bool leader() const { return group_.rank() == 0; }
  bool writes() const { return leader() && !folder_.path.empty(); }
  fs::path file(const char* name) const { return folder_.path / name; }

  // What must be the same when a run goes on.
  std::string identity(const network::Description& description) const {
    nlohmann::ordered_json json;
    json["task"] = task_.name();
    json["settings"] = task_.settings();
    json["network"] = nlohmann::json::parse(description.json());
    json["train"] = nlohmann::ordered_json::parse(options_.json());
    for (const char* free : {"threads", "workers", "checkpoint_seconds"}) json["train"].erase(free);
    json["processes"] = group_.size();
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  // The run to go on with, if there is one. Holds the folder from now on.
  std::optional<Checkpoint> find_run(const std::string& identity) {
    const fs::path saved = file("checkpoint.safetensors");
    if (folder_.start == Start::resume && !file_exists(saved)) {
      throw Error(ErrorCode::io, folder_.path.string(), "holds no run to go on with",
                  "leave out --resume to begin one");
    }
    lock_ = FolderLock(folder_.path);
    if (!file_exists(saved)) return std::nullopt;
    if (folder_.start == Start::begin) {
      throw Error(ErrorCode::io, folder_.path.string(), "holds a run already",
                  "go on with --resume, or choose another folder");
    }
    Checkpoint state = load_checkpoint(saved);
    if (state.options != identity) {
      throw Error(ErrorCode::usage, saved.string(), "was started with other options",
                  fmt::format("see {}", file("config.json").string()));
    }
    return state;
  }

  Checkpoint begin(network::Description description, const network::Model* from) {
    options_.validate();
    if (!task_.has(Stream::train)) {
      throw Error(ErrorCode::usage, task_.name(), "has nothing to train on");
    }
    task_.check_training();
    at::set_num_threads(1);  // the kernels bring their own threads
    keep_memory();
    description.schema = task_.schema();
    if (from != nullptr && description.json() != from->description.json()) {
      throw Error(ErrorCode::usage, "the network to start from",
                  fmt::format("does not fit the graphs of the task {}", task_.name()),
                  "see fgnn model describe");
    }
    const std::string identity = this->identity(description);
    Checkpoint state;
    if (writes()) {
      if (std::optional<Checkpoint> run = find_run(identity)) {
        resumed_ = true;
        return std::move(*run);
      }
      write_file(file("config.json"), [&](std::ostream& out) { out << identity << '\n'; });
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
      optimiser_.first = std::move(state_.first);
      optimiser_.second = std::move(state_.second);
      optimiser_.average = std::move(state_.average);
      optimiser_.steps = state_.step;
      stop_ = options_.patience > 0 && state_.since_best >= options_.patience;
    }
    share();
    if (writes()) log_ = std::make_unique<RunLog>(folder_.path, state_.step);
  }

  // The leader's state to all: the others need no files.
  void share() {
    if (group_.size() == 1) return;
    double numbers[] = {static_cast<double>(state_.step), static_cast<double>(optimiser_.steps),
                        stop_ ? 1.0 : 0.0};
    group_.broadcast(std::span<double>(numbers));
    state_.step = static_cast<std::uint64_t>(numbers[0]);
    optimiser_.steps = static_cast<std::uint64_t>(numbers[1]);
    stop_ = numbers[2] > 0;
    for (const auto& t : module_.tensors()) {
      group_.broadcast(std::span<float>(t.data_ptr<float>(), t.numel()));
    }
    group_.broadcast(optimiser_.first);
    group_.broadcast(optimiser_.second);
    if (!optimiser_.average.empty()) group_.broadcast(optimiser_.average);
  }

  nn::Module& member(std::size_t m) { return m == 0 ? module_ : replicas_[m - 1]; }

  // One step; returns the mean loss of the batch, of all threads and processes.
  double step(const Parts& parts) {
    double mean = 0;
    crew_.run(parts.size(), [&](std::size_t m) {
      nn::Module& module = member(m);
      module.zero_gradients();
      module.context().seed = Rng(options_.seed, state_.step * crew_.size() * group_.size() +
                                                     group_.rank() * crew_.size() + m)();
      const std::shared_ptr<const network::Batch> batch(&parts[m].batch, [](auto*) {});
      const SummedLoss loss = loss_of(module.forward(batch), parts[m], task_.loss());
      double totals[] = {loss.sum.item<double>(), loss.rows};
      crew_.sum(m, totals, [this](std::span<double> sum) { group_.sum(sum); });
      const double rows = std::max(totals[1], 1.0);  // no row may count, in any part
      if (m == 0) mean = totals[0] / rows;
      if (!std::isfinite(totals[0])) return;
      const at::Tensor scaled = at::div(loss.sum, rows);
      scaled.backward();
    });
    if (!std::isfinite(mean)) not_finite("the loss");
    for (std::size_t m = 1; m < parts.size(); ++m) {
      module_.gradients().add_(replicas_[m - 1].gradients());
    }
    group_.finish_gradients();
    const double norm = optimiser_.step(options_.rate_at(state_.step));
    if (!std::isfinite(norm)) not_finite("the gradient");
    ++state_.step;
    return mean;
  }

  [[noreturn]] void not_finite(const char* what) const {
    throw Error(ErrorCode::internal, fmt::format("training, step {}", state_.step),
                fmt::format("{} is not a finite number", what),
                folder_.path.empty()
                    ? "try a smaller rate"
                    : "the last good checkpoint is kept; try a smaller rate or clip");
  }

  void validate(double seconds, double steps) {
    std::map<std::string, double> values;
    if (steps > 0) {
      values = {{"train_loss", state_.loss_sum / state_.loss_steps},
                {"rate", options_.rate_at(state_.step - 1)},
                {"instances_per_second",
                 steps * static_cast<double>(options_.batch * group_.size()) / seconds}};
    }
    double flags[] = {0};
    if (leader()) {
      network::Model now = current(true);
      double measure = steps > 0 ? -values["train_loss"] : state_.best_measure;
      if (task_.has(Stream::validation) && options_.validation > 0) {
        const auto m =
            tasks::evaluate(now, task_, Stream::validation, options_.validation, 128, threads_);
        const bool classes =
            tasks::of_classes(task_.loss()) || task_.loss() == tasks::Loss::binary_cross_entropy;
        values["validation_loss"] = m.mean_loss();
        if (classes) {
          values["validation_accuracy"] = last_accuracy_ = m.accuracy();
          values["validation_solved"] = m.solved_share();
        }
        measure = classes ? m.accuracy() : -m.mean_loss();
      }
      if (measure > state_.best_measure) {
        state_.best_measure = measure;
        state_.since_best = 0;
        state_.best.clear();
        // The last step's are at hand anyway.
        if (state_.step < options_.steps) {
          for (const auto& w : now.weights) {
            state_.best.insert(state_.best.end(), w.begin(), w.end());
          }
        }
        if (writes()) network::save_model(file("model.safetensors"), now);
      } else if (steps > 0 && options_.patience > 0 && ++state_.since_best >= options_.patience) {
        flags[0] = 1;
      }
    }
    state_.loss_sum = state_.loss_steps = 0;
    if (group_.size() > 1) group_.broadcast(std::span<double>(flags));
    stop_ = flags[0] > 0;
    if (log_) log_->write(state_.step, values);
    if (leader() && watcher_) watcher_(state_.step, values);
  }

  // The weights as they are, or the averaged ones where there are any.
  network::Model current(bool averaged) const {
    network::Model now = state_.model;
    module_.store(now);
    if (averaged && !optimiser_.average.empty()) {
      for (std::size_t i = 0; i < now.weights.size(); ++i) {
        const std::int64_t begin = module_.offsets()[i];
        if (begin < 0) continue;
        std::copy_n(optimiser_.average.begin() + begin, now.weights[i].size(),
                    now.weights[i].begin());
      }
    }
    now.metadata["steps"] = std::to_string(state_.step);
    return now;
  }

  network::Model best_model() const {
    network::Model model = current(true);
    if (state_.best.empty()) return model;
    auto from = state_.best.begin();
    for (auto& w : model.weights) {
      std::copy_n(from, w.size(), w.begin());
      from += static_cast<std::ptrdiff_t>(w.size());
    }
    return model;
  }

  void save(double seconds) {
    state_.seconds += seconds;
    if (!writes()) return;
    Checkpoint c = state_;
    c.model = current(false);
    c.model.metadata.erase("steps");
    c.first = optimiser_.first;
    c.second = optimiser_.second;
    c.average = optimiser_.average;
    save_checkpoint(file("checkpoint.safetensors"), c);
  }

  void note(Progress& progress, double seconds, double steps) const {
    progress.note(fmt::format(
        "loss {:.4f}{}  {:.0f} instances/s",
        state_.loss_steps > 0 ? state_.loss_sum / state_.loss_steps : 0,
        last_accuracy_ > 0 ? fmt::format("  accuracy {:.2f} %", 100 * last_accuracy_) : "",
        steps * static_cast<double>(options_.batch * group_.size()) / std::max(seconds, 1e-9)));
  }

  const tasks::Task& task_;
  const TrainOptions options_;
  const RunFolder folder_;
  Group& group_;
  const Watcher& watcher_;
  const int threads_;
  FolderLock lock_;
  bool resumed_ = false, begins_somewhere_ = false, stop_ = false;
  double last_accuracy_ = 0;
  Checkpoint state_;
  nn::Module module_;
  std::vector<nn::Module> replicas_;  // for the threads behind the first
  // Processes sum gradients while the backward pass runs, and so have one pass each.
  Crew crew_{group_.size() > 1 ? 1 : static_cast<std::size_t>(threads_)};
  Optimiser optimiser_;
  std::unique_ptr<RunLog> log_;
};

}  // namespace

TrainReport train(const tasks::Task& task, network::Description description,
                  const TrainOptions& options, const RunFolder& folder, Group& group,
                  const Watcher& watcher) {
  return Run(task, std::move(description), nullptr, options, folder, group, watcher).run();
}

TrainReport train(const tasks::Task& task, const network::Model& from, const TrainOptions& options,
                  const RunFolder& folder, Group& group, const Watcher& watcher) {
  return Run(task, from.description, &from, options, folder, group, watcher).run();
}

}  // namespace fgnn::train
