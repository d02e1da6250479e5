// The losses of tasks/task.h as differentiable functions.
#pragma once

#include <ATen/core/Tensor.h>

#include "fgnn/tasks/task.h"

namespace fgnn::train {

// The sum over the rows that count, and their number. Throws Error(usage) when labels do not fit.
struct SummedLoss {
  at::Tensor sum;
  double rows;
};
SummedLoss loss_of(const at::Tensor& output, const tasks::Labelled& wanted, tasks::Loss loss);

}  // namespace fgnn::train
