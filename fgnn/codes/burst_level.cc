#include "fgnn/codes/burst_level.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fgnn::codes {

WordBelief word_log_ratios(const Channel& channel, std::span<const float> observed,
                           std::span<float> llr) {
  const double quiet = 1 / channel.sigma, share = channel.burst_probability;
  const auto loud = [&](std::size_t level) {
    return share > 0 ? 1 / std::hypot(channel.sigma, static_cast<double>(level)) : quiet;
  };
  const double widest = loud(kBurstLevels - 1);
  struct Densities {
    double one, zero;
  };
  std::vector<std::array<Densities, kBurstLevels>> density(observed.size());
  std::array<double, kBurstLevels> log_level{};
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double up = observed[i] - 1.0, down = observed[i] + 1.0;
    // All densities of a bit share a factor, so that far outliers do not vanish.
    const double least = 0.5 * widest * widest * std::min(up * up, down * down);
    const auto normal = [&](double scale, double d) {
      return scale * std::exp(least - 0.5 * d * d * scale * scale);
    };
    for (std::size_t level = 0; level < kBurstLevels; ++level) {
      const double inverse = loud(level);
      density[i][level] = {(1 - share) * normal(quiet, up) + share * normal(inverse, up),
                           (1 - share) * normal(quiet, down) + share * normal(inverse, down)};
      log_level[level] += std::log(density[i][level].one + density[i][level].zero + 1e-300);
    }
  }
  WordBelief belief{};
  const double top = *std::max_element(log_level.begin(), log_level.end());
  double sum = 0;
  for (std::size_t l = 0; l < kBurstLevels; ++l) {
    sum += belief.level[l] = std::exp(log_level[l] - top);
  }
  for (std::size_t l = 0; l < kBurstLevels; ++l) {
    belief.level[l] /= sum;
    belief.mean_level += static_cast<double>(l) * belief.level[l];
  }
  for (std::size_t i = 0; i < observed.size(); ++i) {
    // The others' word on the level: this bit's own evidence is in its densities.
    double one = 1e-300, zero = 1e-300;
    for (std::size_t l = 0; l < kBurstLevels; ++l) {
      const auto& d = density[i][l];
      const double others = belief.level[l] / (d.one + d.zero + 1e-300);
      one += others * d.one;
      zero += others * d.zero;
    }
    llr[i] = static_cast<float>(std::clamp(std::log(one / zero), -30.0, 30.0));
  }
  return belief;
}

}  // namespace fgnn::codes
