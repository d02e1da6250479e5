// The quadratic step of AD3 on the full list of joint states: slow and readable.
#pragma once

#include <span>
#include <vector>

#include "fgnn/graph/potential.h"

namespace fgnn::testing {

// minimise 1/2 |q - a|^2 - sum_x w_x values_x / step, q = sum_x w_x coordinates(x), over all
// distributions w on the allowed joint states; values in table order. Coordinates: one for a
// variable of two states (that it is in the second), one per state for others.
std::vector<double> local_quadratic(Shape shape, std::span<const double> values,
                                    std::span<const double> a, double step);

}  // namespace fgnn::testing
