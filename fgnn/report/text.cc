#include "fgnn/report/text.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

#include "fgnn/core/error.h"

namespace fgnn {
namespace {

constexpr std::string_view kUnits = "KMGTP";

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string count_text(double count) {
  if (count >= 1e12) return fmt::format("{:.2e}", count);
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

std::uint64_t parse_bytes(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  double scale = 1;
  if (!unit.empty()) {
    if (const std::size_t i = kUnits.find(unit[0]); i != kUnits.npos) {
      scale = std::pow(1024.0, static_cast<double>(i + 1));
      unit.remove_prefix(1);
    }
  }
  const bool known_unit = unit.empty() || unit == "B" || (unit == "iB" && scale > 1);
  if (error != std::errc() || !known_unit || !(value > 0) || value * scale >= 0x1p63) {
    throw Error(ErrorCode::usage, "", fmt::format("'{}' is not an amount of memory", text),
                "write for example 512M or 8G");
  }
  return static_cast<std::uint64_t>(value * scale);
}

}  // namespace fgnn
