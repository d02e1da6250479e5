#include "tests/reference/slow_decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fgnn/codes/encoder.h"

namespace fgnn::testing {
namespace {

using codes::BpDecoderOptions;
using codes::BpSchedule;
using codes::Precision;
using codes::Rule;
using codes::Stop;

// The numbers that a decoder works with; those of int8 are whole, in steps.
class Numbers {
 public:
  explicit Numbers(const BpDecoderOptions& options)
      : o_(options), whole_(options.precision == Precision::int8) {}

  double from_channel(float llr) const {
    return whole_ ? std::clamp(std::nearbyint(llr * (-1 / o_.step)), -127.0f, 127.0f) : 0.0 - llr;
  }
  double soft(double total) const { return whole_ ? -o_.step * total : -total; }
  // What becomes of sums and differences.
  double kept(double x) const { return whole_ ? std::clamp(x, -128.0, 127.0) : x; }
  double clipped(double x) const {
    const double clip = whole_ ? in_steps(o_.clip, 63) : o_.clip;
    return std::clamp(x, -clip, clip);
  }
  // scale * size - offset, not below zero.
  double corrected(double size) const {
    if (!whole_) return std::max(0.0, size * o_.scale - o_.offset);
    // The scale has fifteen bits, and the product is rounded.
    const long scale = std::min(32767l, std::lround(32768 * o_.scale));
    const long scaled = (std::lround(size) * scale + (1 << 14)) >> 15;
    const double most = o_.schedule == BpSchedule::layered ? 31 : 63;
    return std::clamp(static_cast<double>(scaled) - in_steps(o_.offset, 127), 0.0, most);
  }

 private:
  double in_steps(float size, float most) const {
    return std::nearbyint(std::min(size / o_.step, most));
  }

  const BpDecoderOptions& o_;
  bool whole_;
};

// What the check tells bit `to`, from what the others tell it.
double from_check(const BpDecoderOptions& o, const std::vector<double>& in, std::size_t to) {
  double product = 1, least = std::numeric_limits<double>::infinity(), sign = 1;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i == to) continue;
    product *= std::tanh(in[i] / 2);
    least = std::min(least, std::abs(in[i]));
    if (in[i] < 0) sign = -sign;
  }
  if (o.rule == Rule::sum_product) {
    return std::clamp<double>(2 * std::atanh(product), -o.clip, o.clip);
  }
  const Numbers numbers(o);
  return sign * numbers.corrected(numbers.clipped(least));
}

}  // namespace

SlowDecoded slow_decode(const SparseParityMatrix& checks, const BpDecoderOptions& o,
                        std::span<const float> llr) {
  const Numbers numbers(o);
  const std::size_t n = checks.num_columns();
  std::vector<double> channel(n), total(n);
  for (std::size_t b = 0; b < n; ++b) channel[b] = total[b] = numbers.from_channel(llr[b]);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> message;  // check to bit
  SlowDecoded result;
  const auto decide = [&] {
    result.bits.resize(n);
    result.soft.resize(n);
    for (std::size_t b = 0; b < n; ++b) {
      result.bits[b] = total[b] < 0;
      result.soft[b] = numbers.soft(total[b]);
    }
    result.valid = codes::satisfies(checks, result.bits);
  };
  decide();
  if (o.stop == Stop::first && result.valid) return result;
  while (result.iterations < o.iterations) {
    const std::vector<double> before = total;
    for (std::uint32_t c = 0; c < checks.num_rows(); ++c) {
      std::vector<double> rest, in;
      for (std::uint32_t b : checks.row(c)) {
        const double now = (o.schedule == BpSchedule::layered ? total : before)[b];
        rest.push_back(numbers.kept(now - message[{c, b}]));
        in.push_back(numbers.clipped(rest.back()));
      }
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::uint32_t b = checks.row(c)[i];
        message[{c, b}] = from_check(o, in, i);
        total[b] = numbers.kept(rest[i] + message[{c, b}]);
      }
    }
    if (o.schedule == BpSchedule::flooding) {
      total = channel;
      for (const auto& [edge, value] : message) {
        total[edge.second] = numbers.kept(total[edge.second] + value);
      }
    }
    ++result.iterations;
    decide();
    if (o.stop != Stop::never && result.valid) break;
  }
  return result;
}

}  // namespace fgnn::testing
