#include "fgnn/cli/json.h"

#include <fmt/core.h>

namespace fgnn::cli {
namespace {

std::string value_text(const Json& value) {
  if (!value.is_array() || value.empty() || !value.front().is_structured()) return value.dump();
  std::string text = "[";
  for (const Json& row : value) {
    text += fmt::format("{}\n    {}", text.size() > 1 ? "," : "", row.dump());
  }
  return text + "\n  ]";
}

}  // namespace

std::string json_text(const Json& object) {
  std::string text = "{";
  for (const auto& [key, value] : object.items()) {
    text += fmt::format("{}\n  {}: {}", text.size() > 1 ? "," : "", Json(key).dump(),
                        value_text(value));
  }
  return text + "\n}\n";
}

}  // namespace fgnn::cli
