#include "fgnn/report/json.h"

#include <fmt/core.h>

#include "fgnn/io/json_text.h"

namespace fgnn {
namespace {

std::string value_text(const Json& value) {
  if (!value.is_array() || value.empty() || !value.front().is_structured()) return json_line(value);
  std::string text = "[";
  for (const Json& row : value) {
    text += fmt::format("{}\n    {}", text.size() > 1 ? "," : "", json_line(row));
  }
  return text + "\n  ]";
}

}  // namespace

std::string json_text(const Json& object) {
  std::string text = "{";
  for (const auto& [key, value] : object.items()) {
    text += fmt::format("{}\n  {}: {}", text.size() > 1 ? "," : "", json_line(Json(key)),
                        value_text(value));
  }
  return text + "\n}\n";
}

}  // namespace fgnn
