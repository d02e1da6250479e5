#include "fgnn/core/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/core/words.h"

namespace fgnn {

void refuse_text(std::string_view text, const std::string& wanted) {
  throw Error(ErrorCode::usage, "", fmt::format("'{}' is not {}", text, wanted));
}

void refuse_word(std::string_view text, std::string_view what, std::span<const std::string> known) {
  throw Error(ErrorCode::usage, "", fmt::format("'{}' is not {}", text, what),
              suggestion(text, known));
}

double parse_finite(std::string_view text) {
  const auto value = parse_number<double>(text, "a number");
  if (!std::isfinite(value)) refuse_text(text, "a finite number");
  return value;
}

std::vector<double> parse_levels(const std::string& subject, std::string_view text) {
  constexpr double kMost = 10000;
  std::vector<double> levels;
  try {
    const std::vector<std::string> range = split(text, ':');
    if (range.size() == 1) {
      for (const std::string& piece : split(text, ',')) levels.push_back(parse_finite(piece));
      return levels;
    }
    if (range.size() > 3) refuse_text(text, "a range");
    const double first = parse_finite(range[0]), last = parse_finite(range[1]);
    const double step = range.size() == 3 ? parse_finite(range[2]) : 1;
    const double count = std::floor((last - first) / step + 1e-9) + 1;
    if (!(step > 0) || !(count >= 1) || count > kMost) refuse_text(text, "a range");
    for (double i = 0; i < count; ++i) {
      // Rounded, so that 0:0.3:0.1 ends with 0.3.
      levels.push_back(std::round((first + i * step) * 1e9) / 1e9);
    }
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, subject, error.what(),
                "write FIRST:LAST:STEP such as 0:4:1, or numbers separated by commas");
  }
  return levels;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

std::vector<std::string> split_variants(std::string_view text) {
  std::vector<std::string> variants;
  for (std::string& piece : split(text, ',')) {
    const bool setting = piece.find(':') == piece.npos && piece.find('=') != piece.npos;
    if (setting && !variants.empty()) {
      variants.back() += "," + piece;
    } else {
      variants.push_back(std::move(piece));
    }
  }
  return variants;
}

}  // namespace fgnn
