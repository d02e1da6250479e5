// The values of an enumeration by name: one list for reading, printing and help.
//
//   const Words<Schedule>& words_of(Schedule) {
//     static const Words<Schedule> kWords{"a schedule", {{"flooding", Schedule::flooding}, …}};
//     return kWords;
//   }
//
// beside the enumeration makes it a value of settings (core/settings.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fgnn {

// Throws Error(usage): "'5' is not a schedule", with the nearest known word.
[[noreturn]] void refuse_word(std::string_view text, std::string_view what,
                              std::span<const std::string> known);

template <class Value>
struct Words {
  std::string what;  // "a schedule"
  std::vector<std::pair<std::string, Value>> all;

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : all) names.push_back(name);
    return names;
  }
  Value value(std::string_view text) const {
    for (const auto& [name, value] : all) {
      if (name == text) return value;
    }
    refuse_word(text, what, names());
  }
  std::string_view name(Value wanted) const {
    for (const auto& [name, value] : all) {
      if (value == wanted) return name;
    }
    return "?";
  }
};

template <class Value>
concept Worded = requires(Value value) {
  words_of(value).all;
};

// Throws Error(usage) with the nearest known word.
template <Worded Value>
Value from_word(std::string_view text) {
  return words_of(Value{}).value(text);
}

template <Worded Value>
std::string_view name_of(Value value) {
  return words_of(value).name(value);
}

}  // namespace fgnn
