#include "fgnn/codes/error_rates.h"

#include <algorithm>
#include <cmath>

namespace fgnn::codes {
namespace {

constexpr double kQuantile = 1.959963984540054;  // of the standard normal at 97.5 %

}  // namespace

Interval wilson(std::uint64_t hits, std::uint64_t trials) {
  if (trials == 0) return {0, 1};
  const double n = static_cast<double>(trials), p = static_cast<double>(hits) / n;
  const double z2 = kQuantile * kQuantile;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kQuantile / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {hits == 0 ? 0 : std::max(0.0, centre - half),
          hits == trials ? 1 : std::min(1.0, centre + half)};
}

void ErrorCounts::add(const ErrorCounts& other) {
  frames += other.frames;
  frame_errors += other.frame_errors;
  bit_errors += other.bit_errors;
  squared_bit_errors += other.squared_bit_errors;
  undetected += other.undetected;
  iterations += other.iterations;
  decode_seconds += other.decode_seconds;
  seconds += other.seconds;
}

double ErrorCounts::ber(std::uint64_t message_bits) const {
  const double bits = static_cast<double>(frames) * static_cast<double>(message_bits);
  return bits > 0 ? static_cast<double>(bit_errors) / bits : 0;
}

double ErrorCounts::bit_deviation() const {
  if (frames == 0) return 0;
  const double n = static_cast<double>(frames), mean = static_cast<double>(bit_errors) / n;
  return std::sqrt(std::max(0.0, static_cast<double>(squared_bit_errors) / n - mean * mean) / n);
}

Interval ErrorCounts::ber_interval(std::uint64_t message_bits) const {
  const Interval frames_wrong = fer_interval();
  if (message_bits == 0 || frames == 0) return frames_wrong;
  const double n = static_cast<double>(frames), k = static_cast<double>(message_bits);
  const double mean = static_cast<double>(bit_errors) / n;
  constexpr std::uint64_t kFew = 10;
  if (frame_errors < kFew) {
    const double per_wrong =
        frame_errors > 0 ? static_cast<double>(bit_errors) / static_cast<double>(frame_errors) : k;
    return {frames_wrong.low * per_wrong / k, frames_wrong.high * per_wrong / k};
  }
  const double half = kQuantile * bit_deviation();
  return {std::max(0.0, mean - half) / k, std::min(k, mean + half) / k};
}

}  // namespace fgnn::codes
