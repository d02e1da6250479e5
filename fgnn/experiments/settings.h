// Settings of a task as numbers and words. All throw Error(usage) naming the setting.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/experiments/experiment.h"

namespace fgnn::experiments {

template <class Whole = std::uint64_t>
Whole whole(const Settings& settings, const std::string& key) {
  const std::string& text = settings.at(key);
  Whole value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    throw Error(ErrorCode::usage, key,
                fmt::format("'{}' is not a whole number up to {}", text,
                            std::numeric_limits<Whole>::max()));
  }
  return value;
}

inline double number(const Settings& settings, const std::string& key) {
  try {
    return parse_finite(settings.at(key));
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, key, error.what());
  }
}

inline bool yes(const Settings& settings, const std::string& key) {
  const std::string& text = settings.at(key);
  if (text != "yes" && text != "no") throw Error(ErrorCode::usage, key, "is neither yes nor no");
  return text == "yes";
}

}  // namespace fgnn::experiments
