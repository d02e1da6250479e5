#include "fgnn/experiments/matching/network.h"

#include <fmt/format.h>

namespace fgnn::matching {

std::string MatchingNetwork::text() const {
  const std::string common = "norm=layer, updated=identity";
  std::string block = fmt::format("Pairs({}, relation=arc, q={}, bases=16, aggregate=max, {})",
                                  width, mixture ? "mixture" : "diagonal", common);
  if (factors != "none") {
    block += fmt::format(" - FGNN({}, relation={}, to_factor=max+mean, to_variable=sum, {})", width,
                         factors, common);
  }
  // The temperature's root: scores are products of two rows.
  return fmt::format(
      "FC({0}, norm=layer, activation=identity, relation=none) - {1}*[{2}] - Out({3}) - Unit() - "
      "Times(3.86)",
      width, blocks, block, width + (nobody ? 1 : 0));
}

}  // namespace fgnn::matching
