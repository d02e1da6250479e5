// JSON as the program prints it. Numbers that JSON cannot hold (minus infinity, the score of a
// forbidden assignment) are null.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace fgnn {

using Json = nlohmann::ordered_json;

// One line per member, and one per row of an array of objects or arrays: readable and greppable.
std::string json_text(const Json& object);

// null where there is none.
inline Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace fgnn
