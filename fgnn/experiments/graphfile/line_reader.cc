#include "fgnn/experiments/graphfile/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/io/json_text.h"

namespace fgnn::graphfile {

using nlohmann::json;

LineReader::LineReader(const std::string& file, std::size_t line, std::string_view text)
    : file_(file), line_(line) {
  try {
    json_ = json::parse(text);
  } catch (const json::parse_error& error) {
    const std::size_t column = std::clamp<std::size_t>(error.byte, 1, text.size() + 1);
    throw Error(ErrorCode::format, fmt::format("{}:{}:{}", file, line, column),
                column > text.size()
                    ? "the line ends too early"
                    : fmt::format("is not JSON from {} on", in_quotes(text.substr(column - 1))));
  } catch (const json::exception&) {  // a number beyond all doubles
    fail("holds a number that is out of range");
  }
  if (!json_.is_object()) fail("is not an object", "write a graph a line: {\"variables\": …}");
}

void LineReader::fail(const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::format, fmt::format("{}:{}", file_, line_), what, hint);
}

void LineReader::check_keys(const json& object, const std::string& where,
                            const std::vector<std::string>& known) const {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    fail(fmt::format("{} an unknown key \"{}\"", where, key), suggestion(key, known));
  }
}

const json& LineReader::list(const json& value, const std::string& key) const {
  if (!value.is_array()) fail(fmt::format("{} is not a list", key));
  return value;
}

double LineReader::number(const json& value, const std::string& key) const {
  if (!value.is_number()) fail(fmt::format("{} holds {}, not a number", key, json_line(value)));
  const double number = value.get<double>();
  if (!std::isfinite(number)) fail(fmt::format("{} holds a number that is not finite", key));
  return number;
}

std::vector<double> LineReader::numbers(const json& value, const std::string& key) const {
  std::vector<double> all;
  for (const json& each : list(value, key)) all.push_back(number(each, key));
  return all;
}

Rows LineReader::rows(const json& value, const std::string& key) const {
  Rows rows;
  for (const json& row : list(value, key)) {
    if (!row.is_array()) fail(fmt::format("{} is not a list of rows", key));
    if (rows.count == 0) rows.width = row.size();
    if (row.size() != rows.width) {
      fail(fmt::format("{} has a row of {} numbers after rows of {}", key, row.size(), rows.width));
    }
    for (const json& each : row) rows.values.push_back(number(each, key));
    ++rows.count;
  }
  return rows;
}

std::uint32_t LineReader::index(const json& value, const std::string& key,
                                std::uint64_t below) const {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= below) {
    fail(fmt::format("{} holds {} where a whole number from 0 to {} should be", key,
                     json_line(value), static_cast<std::int64_t>(below) - 1));
  }
  return value.get<std::uint32_t>();
}

std::int64_t LineReader::label(const json& value, const std::string& key) const {
  constexpr std::int64_t kMost = 1 << 20;
  if (value.is_null()) return -1;
  if (!value.is_number_integer() || value.get<std::int64_t>() >= kMost) {
    fail(fmt::format("{} holds {}, not the number of a class or null", key, json_line(value)));
  }
  return std::max<std::int64_t>(value.get<std::int64_t>(), -1);
}

}  // namespace fgnn::graphfile
