#include "fgnn/infer/ad3/projections.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace fgnn::admm {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// sum_i clip(a_i + shift), and how many terms move with the shift to either side.
struct Clipped {
  double sum = 0, rising = 0, falling = 0;
};

Clipped clipped(std::span<const double> a, double shift) {
  Clipped c;
  for (const double value : a) {
    const double t = value + shift;
    c.sum += std::min(std::max(t, 0.0), 1.0);
    c.rising += static_cast<double>((t >= 0) & (t < 1));
    c.falling += static_cast<double>((t > 0) & (t <= 1));
  }
  return c;
}

double clip_all(std::span<const double> a, double shift, std::span<double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    y[i] = std::min(std::max(a[i] + shift, 0.0), 1.0);
    sum += y[i];
  }
  return sum;
}

// From a shift where nothing moves to the next one where something does.
double next_corner(std::span<const double> a, double shift, bool up) {
  double next = up ? kInf : -kInf;
  for (const double value : a) {
    if (up && value + shift < 0) next = std::min(next, -value);
    // A little less than 1 - value, or rounding might leave the term above 1 for ever.
    if (!up && value + shift > 1) {
      next = std::max(next, 1 - value - 4e-16 * (1 + std::abs(value)));
    }
  }
  return next;
}

}  // namespace

void project_to_sum(std::span<const double> a, double sum, double& shift, std::span<double> y) {
  const double n = static_cast<double>(a.size());
  const double rounding = 4e-16 * (1 + n);
  double low = -kInf, high = kInf;
  for (int pass = 0; pass < 200; ++pass) {
    const Clipped c = clipped(a, shift);
    const double missing = sum - c.sum;
    if (std::abs(missing) <= rounding * (1 + std::abs(shift))) break;
    const bool up = missing > 0;
    (up ? low : high) = shift;
    const double slope = up ? c.rising : c.falling;
    double next = slope > 0 ? shift + missing / slope : next_corner(a, shift, up);
    if (!(next > low && next < high)) {
      if (low == -kInf || high == kInf) break;  // the sum is out of reach by rounding only
      next = 0.5 * (low + high);
      if (!(next > low && next < high)) break;
    }
    shift = next;
  }
  clip_all(a, shift, y);
}

void count_step(std::span<const double> a, const CountValues& count, double step, double& shift,
                std::span<double> y) {
  const auto project = [&](std::size_t sum) {
    project_to_sum(a, static_cast<double>(sum), shift, y);
  };
  if (count.flat) {
    const double sum = clip_all(a, 0, y);
    if (sum > static_cast<double>(count.most())) return project(count.most());
    if (sum < static_cast<double>(count.least)) return project(count.least);
    return;
  }
  // Between the sums k and k + 1 the shift is the slope there; at a corner it lies between two.
  std::size_t low = 0, high = count.values.size() - 1;  // the optimum lies between these
  while (low < high) {
    const std::size_t k = (low + high) / 2;
    const double slope = (count.values[k + 1] - count.values[k]) / step;
    const double sum = clipped(a, slope).sum - static_cast<double>(count.least + k);
    if (sum <= 0) {
      high = k;
    } else if (sum >= 1) {
      low = k + 1;
    } else {
      clip_all(a, slope, y);
      return;
    }
  }
  project(count.least + low);
}

void parity_step(std::span<const double> a, bool odd, double& shift, std::span<double> y) {
  // The facets cut off the joint states of the wrong parity, one each; a point of the box can only
  // be beyond that of the nearest such state.
  clip_all(a, 0, y);
  bool wrong = odd;  // whether the rounded point, so far, has the right parity
  std::size_t weakest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    wrong ^= y[i] > 0.5;
    if (std::abs(y[i] - 0.5) < std::abs(y[weakest] - 0.5)) weakest = i;
  }
  const bool flip = !wrong;
  double distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool one = (y[i] > 0.5) != (flip && i == weakest);
    distance += one ? 1 - y[i] : y[i];
  }
  if (distance >= 1) return;
  // On the facet the distances from that state sum to one: a simplex.
  const auto is_one = [&](std::size_t i) {
    return (std::clamp(a[i], 0.0, 1.0) > 0.5) != (flip && i == weakest);
  };
  for (std::size_t i = 0; i < a.size(); ++i) y[i] = is_one(i) ? 1 - a[i] : a[i];
  project_to_sum(y, 1, shift, y);
  for (std::size_t i = 0; i < a.size(); ++i) y[i] = is_one(i) ? 1 - y[i] : y[i];
}

double best_count(std::span<double> gains, const CountValues& count) {
  std::ranges::sort(gains, std::greater<>());
  double sum = 0, best = -kInf;
  for (std::size_t k = 0;; ++k) {
    if (k >= count.least) best = std::max(best, sum + count.values[k - count.least]);
    if (k == count.most()) return best;
    sum += gains[k];
  }
}

double best_between(std::span<double> gains, std::size_t least, std::size_t most) {
  std::ranges::sort(gains, std::greater<>());
  double sum = 0;
  for (std::size_t k = 0; k < most && (k < least || gains[k] > 0); ++k) sum += gains[k];
  return sum;
}

double best_parity(std::span<double> gains, bool odd) {
  double sum = 0, least = kInf;
  bool wrong = odd;
  for (const double gain : gains) {
    sum += std::max(gain, 0.0);
    wrong ^= gain > 0;
    least = std::min(least, std::abs(gain));
  }
  return wrong ? sum - least : sum;
}

}  // namespace fgnn::admm
