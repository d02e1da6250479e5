#include "fgnn/io/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fgnn/core/error.h"
#include "fgnn/core/token_reader.h"

namespace fgnn {
namespace {

[[noreturn]] void refuse(std::string_view text, std::size_t byte, const std::string& subject) {
  const std::size_t at = std::min(byte > 0 ? byte - 1 : 0, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t column = at - (before.find_last_of('\n') + 1) + 1;
  std::string_view found = text.substr(at);
  found = found.substr(0, found.find('\n'));
  throw Error(ErrorCode::format, fmt::format("{}:{}:{}", subject, line, column),
              at == text.size() ? "the JSON ends too early"
                                : fmt::format("is not JSON from {} on", in_quotes(found)));
}

}  // namespace

template <class Json>
Json parse_json(std::string_view text, const std::string& subject) {
  try {
    return Json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const nlohmann::json::parse_error& error) {
    refuse(text, error.byte, subject);
  } catch (const nlohmann::json::exception&) {  // a number beyond all doubles
    throw Error(ErrorCode::format, subject, "holds a number that is out of range");
  }
}

template nlohmann::json parse_json(std::string_view, const std::string&);
template nlohmann::ordered_json parse_json(std::string_view, const std::string&);

template <class Json>
std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template std::string json_line(const nlohmann::json&);
template std::string json_line(const nlohmann::ordered_json&);

}  // namespace fgnn
