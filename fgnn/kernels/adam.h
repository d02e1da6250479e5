// One step of Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019),
// in one pass over flat arrays of parameters, gradients and moments.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fgnn::kernels {

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
};

// The numbers of one step, as the loop over parameters uses them.
struct AdamFactors {
  float scale;  // of gradients
  float beta1, beta2;
  float rate, root_correction;  // the moments' corrections, moved out of the loop
  float epsilon;
  float kept;  // what decay leaves of a parameter
};

// `step` counts from 1. Gradients are multiplied by gradient_scale first.
void adam_step(float* parameters, const float* gradients, float* first, float* second,
               std::size_t n, double rate, double gradient_scale, std::int64_t step,
               const AdamOptions& options, int threads);

// The sum of squares, in double and a fixed order.
double sum_of_squares(const float* x, std::size_t n, int threads);

}  // namespace fgnn::kernels
