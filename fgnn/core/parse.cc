#include "fgnn/core/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn {

void refuse_text(std::string_view text, const std::string& wanted) {
  throw Error(ErrorCode::usage, fmt::format("'{}'", text), fmt::format("is no {}", wanted));
}

void refuse_word(std::string_view text, std::string_view what, std::span<const std::string> known) {
  throw Error(ErrorCode::usage, fmt::format("'{}'", text), fmt::format("is no {}", what),
              suggestion(text, known));
}

double parse_finite(std::string_view text) {
  const auto value = parse_number<double>(text, "number");
  if (!std::isfinite(value)) refuse_text(text, "finite number");
  return value;
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
