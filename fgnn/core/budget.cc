#include "fgnn/core/budget.h"

#include <fmt/core.h>

#include "fgnn/core/error.h"
#include "fgnn/core/units.h"

namespace fgnn {

void Budget::refuse(std::uint64_t bytes) const {
  const double needed = static_cast<double>(held_) + static_cast<double>(bytes);
  throw Error(ErrorCode::too_large, subject_,
              fmt::format("needs {} or more, the limit is {}", bytes_text(needed),
                          bytes_text(static_cast<double>(max_bytes_))),
              "allow more with --memory");
}

void Budget::refuse_late() const {
  if (deadline_.interrupted()) {
    throw Error(ErrorCode::interrupted, subject_, "interrupted before there was an answer");
  }
  throw Error(ErrorCode::time_limit, subject_, "the time limit was reached before an answer",
              "allow more with --time-limit");
}

}  // namespace fgnn
