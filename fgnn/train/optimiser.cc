#include "fgnn/train/optimiser.h"

#include <algorithm>
#include <cmath>

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/adam.h"

namespace fgnn::train {

Optimiser::Optimiser(network::Learner<float>& learner, const TrainOptions& options, int threads)
    : learner_(learner), options_(options), threads_(threads) {
  const auto weights = learner.weights();
  first.resize(weights.size());
  second.resize(weights.size());
  if (options.average > 0) average.assign(weights.begin(), weights.end());
}

double Optimiser::step(double rate, double scale) {
  float* weights = learner_.weights().data();
  const float* gradient = learner_.gradient().data();
  const std::size_t n = first.size();
  const double norm = scale * std::sqrt(kernels::sum_of_squares(gradient, n, threads_));
  if (!std::isfinite(norm)) return norm;
  if (options_.clip > 0 && norm > options_.clip) scale *= options_.clip / norm;
  kernels::AdamOptions adam;
  adam.weight_decay = options_.weight_decay;
  kernels::adam_step(weights, gradient, first.data(), second.data(), n, rate, scale,
                     static_cast<std::int64_t>(++steps), adam, threads_);
  if (!average.empty()) {
    // Young averages follow faster, so that the start is forgotten.
    const double young = static_cast<double>(1 + steps) / static_cast<double>(10 + steps);
    const auto kept = static_cast<float>(std::min(options_.average, young));
    parallel_for(threads_, n, 1 << 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        average[i] += (1 - kept) * (weights[i] - average[i]);
    });
  }
  return norm;
}

}  // namespace fgnn::train
