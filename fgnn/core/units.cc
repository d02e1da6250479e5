#include "fgnn/core/units.h"

#include <fmt/core.h>

#include <string_view>

namespace fgnn {

std::string bytes_text(double bytes) {
  constexpr std::string_view kUnits = "KMGTPE";
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  std::size_t unit = 0;
  for (bytes /= 1024; bytes >= 1024 && unit + 1 < kUnits.size(); bytes /= 1024) ++unit;
  return bytes >= 1e6 ? fmt::format("{:.1e} {}iB", bytes, kUnits[unit])
                      : fmt::format("{:.1f} {}iB", bytes, kUnits[unit]);
}

}  // namespace fgnn
