// What every test of a kernel uses: random numbers, comparisons, gradients against differences.
#pragma once

#include "tests/reference/differences.h"
#include "tests/reference/numbers.h"

namespace fgnn::kernels {

using testing::dot;
using testing::expect_gradient;
using testing::normal_numbers;
using testing::same_numbers;

}  // namespace fgnn::kernels
