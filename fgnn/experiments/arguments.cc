#include "fgnn/experiments/arguments.h"

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"

namespace fgnn::experiments {

std::string Arguments::text(const std::string& name) const {
  if (const auto found = given.find(name); found != given.end() && !found->second.empty()) {
    return found->second.back();
  }
  const auto fallback = fallbacks.find(name);
  return fallback == fallbacks.end() ? "" : fallback->second;
}

std::vector<std::string> Arguments::list(const std::string& name) const {
  if (const auto found = given.find(name); found != given.end()) return found->second;
  const auto fallback = fallbacks.find(name);
  if (fallback == fallbacks.end()) return {};
  return split(fallback->second, ',');
}

std::uint64_t Arguments::whole(const std::string& name) const {
  try {
    return parse_number<std::uint64_t>(text(name), "whole number");
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, name, error.what());
  }
}

double Arguments::number(const std::string& name) const {
  try {
    return parse_finite(text(name));
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, name, error.what());
  }
}

}  // namespace fgnn::experiments
