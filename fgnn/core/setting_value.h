// Values of settings: from text, to text, and what is allowed. Numbers, yes or no, words out of a
// list (core/words.h), text, lists joined by +, and any of them that may be absent.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fgnn/core/parse.h"
#include "fgnn/core/words.h"

namespace fgnn {

// What a value must be. Empty: anything of its type.
struct Rule {
  std::string must_be = {};                      // "above 0"
  std::function<bool(double)> fits_number = {};  // of numbers, and of each in a list
  std::vector<std::string> words = {};           // of text, and of words out of a longer list
  bool not_empty = false;                        // of lists
};

Rule above(double low);
Rule above_and_finite(double low);
Rule at_least(double low);
Rule in(double low, double high);            // both included
Rule in_half_open(double low, double high);  // from `low`, below `high`
Rule positive_up_to(double high);            // above 0, at most `high`
Rule one_of(std::vector<std::string> words);
Rule not_empty();

// The functions below throw Error(usage) without a subject: "'x' is not a whole number".
void read_value(std::string_view text, bool& value);  // yes or no
void read_value(std::string_view text, double& value);
void read_value(std::string_view text, float& value);
void read_value(std::string_view text, std::string& value);

template <class Value>
requires std::is_integral_v<Value>
void read_value(std::string_view text, Value& value) {
  constexpr const char* what = std::is_same_v<Value, std::uint32_t>
                                   ? "a whole number from 0 to 4294967295"
                               : std::is_unsigned_v<Value> ? "a whole number from 0 on"
                                                           : "a whole number";
  value = parse_number<Value>(text, what);
}

template <Worded Value>
void read_value(std::string_view text, Value& value) {
  value = from_word<Value>(text);
}

template <class Value>
void read_value(std::string_view text, std::optional<Value>& value) {
  Value read{};
  read_value(text, read);
  value = std::move(read);
}

// "" is a list of none.
template <class Value>
void read_value(std::string_view text, std::vector<Value>& values) {
  std::vector<Value> read;
  if (!text.empty()) {
    for (const std::string& piece : split(text, '+')) read_value(piece, read.emplace_back());
  }
  values = std::move(read);
}

std::string text_of(bool value);
std::string text_of(double value);
std::string text_of(float value);
inline std::string text_of(const std::string& value) { return value; }

template <class Value>
requires std::is_integral_v<Value> std::string text_of(Value value) {
  return std::to_string(value);
}

template <Worded Value>
std::string text_of(Value value) {
  return std::string(name_of(value));
}

template <class Value>
std::string text_of(const std::optional<Value>& value) {
  return value ? text_of(*value) : std::string();
}

template <class Value>
std::string text_of(const std::vector<Value>& values) {
  std::string text;
  for (const auto& value : values) {
    if (!text.empty()) text += '+';
    text += text_of(value);
  }
  return text;
}

void check_number(double value, const std::string& text, const Rule& rule);
void check_word(const std::string& text, const Rule& rule);
void check_size(std::size_t size, const Rule& rule);

template <class Value>
void check_value(const Value& value, const Rule& rule) {
  if constexpr (std::is_arithmetic_v<Value>) {
    check_number(static_cast<double>(value), text_of(value), rule);
  } else {
    check_word(text_of(value), rule);
  }
}
template <class Value>
void check_value(const std::optional<Value>& value, const Rule& rule) {
  if (value) check_value(*value, rule);
}
template <class Value>
void check_value(const std::vector<Value>& values, const Rule& rule) {
  check_size(values.size(), rule);
  for (const auto& value : values) check_value(value, rule);
}

template <class Value>
inline constexpr bool kIsWord = std::is_same_v<Value, std::string> || Worded<Value>;

// Of whole lists (core/settings.h).
[[noreturn]] void refuse_setting(std::string_view name, const std::string& owner,
                                 std::span<const std::string> known);
std::pair<std::string_view, std::string_view> split_setting(std::string_view piece,
                                                            const std::string& example);
// Calls `act`; its errors of usage are about `name`.
void about(const std::string& name, const std::function<void()>& act);

}  // namespace fgnn
