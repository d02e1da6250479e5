#include "tests/reference/slow_decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fgnn/codes/encoder.h"

namespace fgnn::testing {
namespace {

using codes::BpOptions;
using codes::Order;
using codes::Rule;
using codes::Stop;

// What the check tells bit `to`, from what the others tell it.
double from_check(const BpOptions& o, const std::vector<double>& in, std::size_t to) {
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
  return sign * std::max(0.0, least * o.scale - o.offset);
}

}  // namespace

SlowDecoded slow_decode(const SparseParityMatrix& checks, const BpOptions& o,
                        std::span<const float> llr) {
  const std::size_t n = checks.num_columns();
  std::vector<double> channel(n), total(n);
  for (std::size_t b = 0; b < n; ++b) channel[b] = total[b] = 0.0 - llr[b];
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> message;  // check to bit
  SlowDecoded result;
  const auto decide = [&] {
    result.bits.resize(n);
    result.soft.resize(n);
    for (std::size_t b = 0; b < n; ++b) {
      result.bits[b] = total[b] < 0;
      result.soft[b] = -total[b];
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
        rest.push_back((o.order == Order::layered ? total : before)[b] - message[{c, b}]);
        in.push_back(std::clamp<double>(rest.back(), -o.clip, o.clip));
      }
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::uint32_t b = checks.row(c)[i];
        message[{c, b}] = from_check(o, in, i);
        total[b] = rest[i] + message[{c, b}];
      }
    }
    if (o.order == Order::flooding) {
      total = channel;
      for (const auto& [edge, value] : message) total[edge.second] += value;
    }
    ++result.iterations;
    decide();
    if (o.stop != Stop::never && result.valid) break;
  }
  return result;
}

}  // namespace fgnn::testing
