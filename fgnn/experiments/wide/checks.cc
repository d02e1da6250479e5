#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/experiments/wide/models.h"

namespace fgnn::wide {

void check_share(const char* name, double value) {
  if (value >= 0 && value <= 1) return;
  throw Error(ErrorCode::usage, name, fmt::format("must be between 0 and 1, not {}", value));
}

void check_whole(const char* name, std::size_t value, std::size_t least, std::size_t most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorCode::usage, name,
              fmt::format("must be between {} and {}, not {}", least, most, value));
}

}  // namespace fgnn::wide
