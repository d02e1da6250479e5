#include "fgnn/experiments/motion/dct.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "fgnn/core/error.h"

namespace fgnn::motion {

Dct::Dct(std::size_t frames, std::size_t kept) : frames_(frames), kept_(kept) {
  if (kept == 0 || kept > frames) {
    throw Error(ErrorCode::usage, "coefficients",
                fmt::format("are {}, where a trajectory has {} frames", kept, frames),
                fmt::format("give 1 to {}", frames));
  }
  const auto n = static_cast<double>(frames);
  for (std::size_t k = 0; k < kept; ++k) {
    const double weight = std::sqrt((k == 0 ? 1 : 2) / n);
    for (std::size_t i = 0; i < frames; ++i) {
      const double angle =
          std::numbers::pi * (static_cast<double>(i) + 0.5) * static_cast<double>(k) / n;
      matrix_.push_back(weight * std::cos(angle));
    }
  }
}

void Dct::forwards(std::span<const double> frames, std::span<double> coefficients) const {
  for (std::size_t k = 0; k < kept_; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < frames_; ++i) sum += at(k, i) * frames[i];
    coefficients[k] = sum;
  }
}

void Dct::backwards(std::span<const double> coefficients, std::span<double> frames) const {
  for (std::size_t i = 0; i < frames_; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < kept_; ++k) sum += at(k, i) * coefficients[k];
    frames[i] = sum;
  }
}

}  // namespace fgnn::motion
