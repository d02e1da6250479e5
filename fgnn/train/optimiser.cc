#include "fgnn/train/optimiser.h"

#include <algorithm>
#include <cmath>

#include "fgnn/kernels/adam.h"

namespace fgnn::train {

Optimiser::Optimiser(nn::Module& module, const TrainOptions& options, int threads)
    : module_(module), options_(options), threads_(threads) {
  const std::size_t n = module.parameters().numel();
  first.resize(n);
  second.resize(n);
  if (options.average > 0) {
    const float* p = module.parameters().data_ptr<float>();
    average.assign(p, p + n);
  }
}

double Optimiser::step(double rate) {
  float* parameters = module_.parameters().data_ptr<float>();
  const float* gradients = module_.gradients().data_ptr<float>();
  const std::size_t n = first.size();
  const double norm = std::sqrt(kernels::sum_of_squares(gradients, n, threads_));
  if (!std::isfinite(norm)) return norm;
  const double scale = options_.clip > 0 && norm > options_.clip ? options_.clip / norm : 1;
  kernels::AdamOptions adam;
  adam.weight_decay = options_.weight_decay;
  kernels::adam_step(parameters, gradients, first.data(), second.data(), n, rate, scale,
                     static_cast<std::int64_t>(++steps), adam, threads_);
  if (!average.empty()) {
    // Young averages follow faster, so that the start is forgotten.
    const double young = static_cast<double>(1 + steps) / static_cast<double>(10 + steps);
    const auto kept = static_cast<float>(std::min(options_.average, young));
    for (std::size_t i = 0; i < n; ++i) average[i] += (1 - kept) * (parameters[i] - average[i]);
  }
  return norm;
}

}  // namespace fgnn::train
