#include "fgnn/potentials/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"

namespace fgnn {

std::string shape_text(Shape shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

std::string misfit_of_shape(Shape expected, Shape actual) {
  if (std::equal(expected.begin(), expected.end(), actual.begin(), actual.end())) return {};
  return fmt::format("is for a shape of {}, the scope has {}", shape_text(expected),
                     shape_text(actual));
}

void check_log_values(std::span<const double> values, const char* subject) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) || values[i] == kInfinity) {
      throw Error(ErrorCode::model, subject, fmt::format("value {} is {}", i, values[i]),
                  "log-potentials are finite or -inf (forbidden)");
    }
  }
}

}  // namespace fgnn
