// JSON that people write, with comments, and what to say when it is not JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace fgnn {

// Json: nlohmann::json or nlohmann::ordered_json. Throws Error(format) naming subject:line:column
// and what stands there.
template <class Json>
Json parse_json(std::string_view text, const std::string& subject);

extern template nlohmann::json parse_json(std::string_view, const std::string&);
extern template nlohmann::ordered_json parse_json(std::string_view, const std::string&);

// A value in one line, for messages and files: bytes that are not UTF-8 are replaced.
template <class Json>
std::string json_line(const Json& value);

extern template std::string json_line(const nlohmann::json&);
extern template std::string json_line(const nlohmann::ordered_json&);

}  // namespace fgnn
