// Checks and wording shared by the potentials.
#pragma once

#include <span>
#include <string>

#include "fgnn/graph/potential.h"

namespace fgnn {

// "2 x 3 x 2"
std::string shape_text(Shape shape);

// Empty when equal; otherwise "is for a shape of 2 x 3, the scope has 2 x 2".
std::string misfit_of_shape(Shape expected, Shape actual);

// Throws Error(model) when a value is NaN or plus infinity.
void check_log_values(std::span<const double> values, const char* subject);

}  // namespace fgnn
