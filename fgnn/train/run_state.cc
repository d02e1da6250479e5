#include "fgnn/train/run_state.h"

#include <algorithm>
#include <utility>

namespace fgnn::train {

RunState::RunState(Checkpoint begun, const TrainOptions& how, int threads)
    : Checkpoint(std::move(begun)), learner(model), optimiser(learner, how, threads) {}

void RunState::resume() {
  optimiser.first = std::move(first);
  optimiser.second = std::move(second);
  optimiser.average = std::move(average);
  optimiser.steps = step;
}

void RunState::share(cluster::Group& group, std::initializer_list<bool*> flags) {
  if (group.size() == 1) return;
  for (bool* flag : flags) {
    std::uint64_t number = *flag;
    group.broadcast(std::span(&number, 1));
    *flag = number != 0;
  }
  for (std::uint64_t* number : {&step, &optimiser.steps, &since_best, &plateaus, &since_plateau}) {
    group.broadcast(std::span(number, 1));
  }
  for (double* number : {&best_measure, &loss_sum, &loss_steps}) {
    group.broadcast(std::span(number, 1));
  }
  // The best model is measured again in the end, by all.
  std::uint64_t size = best.size();
  group.broadcast(std::span(&size, 1));
  best.resize(size);
  group.broadcast(std::span<float>(best));
  share_weights(group);
  group.broadcast(std::span<float>(optimiser.first));
  group.broadcast(std::span<float>(optimiser.second));
  if (!optimiser.average.empty()) group.broadcast(std::span<float>(optimiser.average));
}

void RunState::share_weights(cluster::Group& group) {
  for (std::size_t i = 0; i < learner.program().parameters.size(); ++i) {
    group.broadcast(learner.parameter(static_cast<int>(i)));
  }
}

network::Model RunState::current(bool averaged) const {
  network::Model now = model;
  learner.store(now);
  if (averaged && !optimiser.average.empty()) {
    for (std::size_t i = 0; i < now.weights.size(); ++i) {
      const std::int64_t begin = learner.offsets()[i];
      if (begin < 0) continue;
      std::copy_n(optimiser.average.begin() + begin, now.weights[i].size(), now.weights[i].begin());
    }
  }
  now.metadata["steps"] = std::to_string(step);
  return now;
}

void RunState::keep_best(const network::Model& now, bool last) {
  best.clear();
  if (last) return;
  for (const auto& w : now.weights) best.insert(best.end(), w.begin(), w.end());
}

network::Model RunState::best_model() const {
  network::Model result = current(true);
  if (best.empty()) return result;
  auto from = best.begin();
  for (auto& w : result.weights) {
    std::copy_n(from, w.size(), w.begin());
    from += static_cast<std::ptrdiff_t>(w.size());
  }
  return result;
}

void RunState::save(const std::filesystem::path& file) const {
  Checkpoint c = *this;
  c.model = current(false);
  c.model.metadata.erase("steps");
  c.first = optimiser.first;
  c.second = optimiser.second;
  c.average = optimiser.average;
  save_checkpoint(file, c);
}

}  // namespace fgnn::train
