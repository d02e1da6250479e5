#include "fgnn/io/tab_lines.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/token_reader.h"

namespace fgnn {

TabLine::TabLine(std::string_view text, const std::string& file, std::size_t number)
    : file_(file), number_(number) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find('\t', begin), text.size());
    fields_.push_back({text.substr(begin, end - begin), begin + 1});
    if (end == text.size()) break;
    begin = end + 1;
  }
}

void TabLine::fail(std::size_t field, const std::string& what, const std::string& hint) const {
  const std::size_t column = field < fields_.size() ? fields_[field].column : 1;
  throw Error(ErrorCode::format, fmt::format("{}:{}:{}", file_, number_, column), what, hint);
}

void TabLine::expected(std::size_t field, std::string_view part, const std::string& what) const {
  const std::size_t column =
      fields_[field].column + static_cast<std::size_t>(part.data() - fields_[field].text.data());
  throw Error(ErrorCode::format, fmt::format("{}:{}:{}", file_, number_, column),
              fmt::format("expected {}, found {}", what, in_quotes(part)));
}

void TabLine::expect(std::size_t fields) const {
  if (size() != fields) fail(0, fmt::format("has {} fields, not {}", size(), fields));
}

std::uint64_t TabLine::whole(std::size_t field, const std::string& what, std::uint64_t most) const {
  const std::string_view text = fields_[field].text;
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || value > most) {
    expected(field, text, fmt::format("{}, 0 to {}", what, most));
  }
  return value;
}

double TabLine::number(std::size_t field, const std::string& what, double most) const {
  return number(field, fields_[field].text, what, most);
}

double TabLine::number(std::size_t field, std::string_view part, const std::string& what,
                       double most) const {
  double value = 0;
  const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || rest != part.data() + part.size() || !(std::abs(value) <= most)) {
    expected(field, part, what);
  }
  return value;
}

std::vector<TabLine> tab_lines(std::string_view text, std::string_view header,
                               const std::string& file) {
  std::vector<TabLine> lines;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number == 1) {
      if (line == header) continue;
      throw Error(ErrorCode::format, fmt::format("{}:1:1", file),
                  fmt::format("the header line is {}", in_quotes(line)),
                  fmt::format("expected {}", in_quotes(header)));
    }
    if (!line.empty()) lines.emplace_back(line, file, number);
  }
  if (number == 0) throw Error(ErrorCode::format, fmt::format("{}:1:1", file), "is empty");
  return lines;
}

}  // namespace fgnn
