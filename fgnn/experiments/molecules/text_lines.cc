#include "fgnn/experiments/molecules/text_lines.h"

#include <fmt/format.h>

#include <cmath>

namespace fgnn::molecules {

std::string_view TextLines::peek() const {
  if (at_end()) return {};
  std::string_view line = text_.substr(position_, text_.find('\n', position_) - position_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view TextLines::next(std::string_view what) {
  if (at_end()) {
    throw Error(ErrorCode::format, fmt::format("{}:{}", file_, number_ + 1),
                fmt::format("the file ends where {} should be", what));
  }
  const std::string_view line = peek();
  const std::size_t end = text_.find('\n', position_);
  position_ = end == text_.npos ? text_.size() : end + 1;
  ++number_;
  return line;
}

void TextLines::skip_blank() {
  while (!at_end() && trimmed(peek()).empty()) next("a line");
}

void TextLines::fail(const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::format, fmt::format("{}:{}", file_, number_), what, hint);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t", at)) != line.npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    found.push_back(line.substr(at, end - at));
    at = end;
  }
  return found;
}

bool read_whole(std::string_view text, std::int64_t& value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size();
}

bool read_number(std::string_view text, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t power = 0;
  if (const std::size_t star = text.find("*^"); star != text.npos) {
    if (!read_whole(text.substr(star + 2), power) || std::abs(power) > 300) return false;
    text = text.substr(0, star);
  }
  if (text.ends_with('.')) text.remove_suffix(1);  // QM9 has "0."
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return false;
  if (power != 0) value *= std::pow(10.0, static_cast<double>(power));
  return std::isfinite(value);
}

}  // namespace fgnn::molecules
