#include "fgnn/infer/method_options.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& wanted) {
  throw Error(ErrorCode::usage, fmt::format("'{}'", text), fmt::format("is no {}", wanted));
}

template <class Value>
struct Word {
  std::string name;
  Value value;
};

template <class Value>
Value parse_word(std::string_view text, std::string_view what, std::span<const Word<Value>> words) {
  std::vector<std::string> known;
  for (const auto& word : words) {
    if (word.name == text) return word.value;
    known.push_back(word.name);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}'", text), fmt::format("is no {}", what),
              suggestion(text, known));
}

template <class Number>
Number parse_number(std::string_view text, const std::string& wanted) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) refuse(text, wanted);
  return value;
}

void parse(std::string_view text, std::size_t& value) {
  value = parse_number<std::size_t>(text, "whole number");
}

void parse(std::string_view text, double& value) {
  value = parse_number<double>(text, "number");
  if (!std::isfinite(value)) refuse(text, "finite number");
}

void parse(std::string_view text, bool& value) {
  const std::vector<Word<bool>> words{{"true", true}, {"false", false}};
  value = parse_word<bool>(text, "choice", words);
}

void parse(std::string_view text, Schedule& value) {
  const std::vector<Word<Schedule>> words{{"flooding", Schedule::flooding},
                                          {"sequential", Schedule::sequential},
                                          {"random", Schedule::random},
                                          {"residual", Schedule::residual},
                                          {"layered", Schedule::layered}};
  value = parse_word<Schedule>(text, "schedule", words);
}

void parse(std::string_view text, Rounding& value) {
  const std::vector<Word<Rounding>> words{{"repair", Rounding::repair},
                                          {"argmax", Rounding::argmax}};
  value = parse_word<Rounding>(text, "rounding", words);
}

template <auto kMember>
MethodSetting setting(std::string name, std::string value, std::string description) {
  using Value = typename std::remove_reference_t<decltype(std::declval<MethodOptions&>().*
                                                          kMember)>::value_type;
  return {std::move(name),
          std::move(value),
          std::move(description),
          [](MethodOptions& options, std::string_view text) {
            Value parsed{};
            parse(text, parsed);
            options.*kMember = parsed;
          },
          [](const MethodOptions& options) { return (options.*kMember).has_value(); },
          [](MethodOptions& options) { (options.*kMember).reset(); }};
}

}  // namespace

const std::vector<MethodSetting>& method_settings() {
  using O = MethodOptions;
  static const std::vector<MethodSetting> kSettings{
      setting<&O::k>("k", "N", "How many of the best assignments"),
      setting<&O::iterations>("iterations", "N", "Most passes over the graph"),
      setting<&O::damping>("damping", "SHARE", "Share of the old message that is kept, 0 to 1"),
      setting<&O::schedule>("schedule", "ORDER",
                            "flooding, sequential, random, residual or layered"),
      setting<&O::temperature>("temperature", "T", "1: sum-product; towards 0: max-product"),
      setting<&O::tolerance>("tolerance", "CHANGE", "Stop when nothing changes by more"),
      setting<&O::single_precision>("float", "", "Single precision: faster, coarser"),
      setting<&O::clusters>("clusters", "N", "Joins of factors that tighten the bound (mplp)"),
      setting<&O::rounding>("rounding", "HOW", "repair (into an allowed assignment) or argmax"),
  };
  return kSettings;
}

const MethodSetting& find_setting(std::string_view wanted) {
  std::vector<std::string> known;
  for (const MethodSetting& setting : method_settings()) {
    if (setting.name == wanted) return setting;
    known.push_back(setting.name);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}'", wanted), "is no setting of any method",
              suggestion(wanted, known));
}

}  // namespace fgnn
