#include "fgnn/codes/bp_options.h"

#include <fmt/format.h>

#include <cmath>

#include "fgnn/core/error.h"

namespace fgnn::codes {

void BpDecoderOptions::validate() const {
  const auto require = [](bool holds, const char* what, double value, const char* why) {
    if (!holds) throw Error(ErrorCode::usage, what, fmt::format("{:g} {}", value, why));
  };
  require(iterations > 0, "iterations", iterations, "is too few; write at least 1");
  require(scale > 0 && scale <= 1, "scale", scale, "is not above 0 and at most 1");
  require(offset >= 0 && std::isfinite(offset), "offset", offset, "must not be negative");
  // Beyond 40 the smaller probability of a message leaves the precision of products.
  require(clip > 0 && (rule == Rule::min_sum || clip <= 40), "clip", clip,
          "is not a limit of log-likelihood ratios; it must be above 0, and at most 40 for "
          "sum-product");
  require(step > 0 && std::isfinite(step), "step", step, "must be above 0");
  require(precision == Precision::single || rule == Rule::min_sum, "precision", 8,
          "bits are enough for min-sum alone; use single precision");
}

}  // namespace fgnn::codes
