#include "fgnn/train/step.h"

#include <algorithm>
#include <cmath>

namespace fgnn::train {
namespace {

// Numbers of the gradient that are worth a message: sums of these begin while the backward pass of
// earlier layers still runs.
constexpr std::size_t kBucket = 1 << 18;

}  // namespace

Stepper::Stepper(network::Learner<float>& learner, Optimiser& optimiser, tasks::Loss loss,
                 int threads, kernels::Products products, cluster::Group& group)
    : learner_(learner),
      optimiser_(optimiser),
      loss_(loss),
      threads_(threads),
      products_(products),
      group_(group) {}

Stepper::Outcome Stepper::step(const Parts& parts, std::size_t first_part, std::uint64_t seed,
                               double rate) {
  backward(parts, first_part, seed);
  double totals[] = {0, 0};
  for (const auto& m : measured_) {
    totals[0] += m.loss;
    totals[1] += m.rows;
  }
  group_.sum(totals);
  if (group_.size() > 1) send();
  group_.finish_sums();
  const double rows = std::max(totals[1], 1.0);  // no row may count, in any part
  Outcome outcome{totals[0] / rows, 0};
  if (std::isfinite(outcome.loss)) outcome.gradient = optimiser_.step(rate, 1 / rows);
  return outcome;
}

void Stepper::backward(const Parts& parts, std::size_t first_part, std::uint64_t seed) {
  std::vector<const network::Batch*> batches;
  for (const auto& p : parts) batches.push_back(&p.batch);
  measured_.assign(parts.size(), {});
  network::LearnOptions options;
  options.threads = threads_;
  options.products = products_;
  options.seed = seed;
  options.first_part = first_part;
  if (group_.size() > 1) {
    options.sum = [this](std::span<double> values) { group_.sum(values); };
    options.complete = [this](std::size_t begin, std::size_t end) { complete(begin, end); };
  }
  learner_.step(batches, options,
                [&](std::size_t p, std::span<const float> output, std::span<float> gradient) {
                  measured_[p] = tasks::measure(
                      output, learner_.output_width(), parts[p], loss_,
                      tasks::output_rows(learner_.program(), parts[p].batch), gradient);
                });
}

void Stepper::complete(std::size_t begin, std::size_t end) {
  done_.emplace_back(begin, end);
  unsent_ += end - begin;
  if (unsent_ >= kBucket) send();
  group_.progress();
}

// In pieces that are as long as possible: parameters made one after another lie side by side.
void Stepper::send() {
  std::sort(done_.begin(), done_.end());
  for (std::size_t i = 0; i < done_.size();) {
    const std::size_t begin = done_[i].first;
    std::size_t end = done_[i].second;
    // What lies between two parameters fills up a cache line, and is zero everywhere.
    for (++i; i < done_.size() && done_[i].first < end + 16; ++i) end = done_[i].second;
    group_.start_sum(learner_.gradient().subspan(begin, end - begin));
  }
  done_.clear();
  unsent_ = 0;
}

}  // namespace fgnn::train
