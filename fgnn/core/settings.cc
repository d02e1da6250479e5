#include "fgnn/core/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn {
namespace {

// "a, b or c"
std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

}  // namespace

Rule above(double low) {
  return {.must_be = fmt::format("above {}", low),
          .fits_number = [=](double x) { return x > low; }};
}

Rule above_and_finite(double low) {
  return {.must_be = fmt::format("above {} and finite", low),
          .fits_number = [=](double x) { return x > low && std::isfinite(x); }};
}

Rule at_least(double low) {
  return {.must_be = low == 0 ? "0 or above" : fmt::format("at least {}", low),
          .fits_number = [=](double x) { return x >= low; }};
}

Rule in(double low, double high) {
  return {.must_be = fmt::format("{} to {}", low, high),
          .fits_number = [=](double x) { return x >= low && x <= high; }};
}

Rule in_half_open(double low, double high) {
  return {.must_be = fmt::format("at least {} and below {}", low, high),
          .fits_number = [=](double x) { return x >= low && x < high; }};
}

Rule positive_up_to(double high) {
  return {.must_be = fmt::format("above 0 and at most {}", high),
          .fits_number = [=](double x) { return x > 0 && x <= high; }};
}

Rule one_of(std::vector<std::string> words) {
  return {.must_be = alternatives(words), .fits_number = {}, .words = std::move(words)};
}

Rule not_empty() { return {.must_be = "at least one", .fits_number = {}, .not_empty = true}; }

void read_value(std::string_view text, bool& value) {
  static const Words<bool> kWords{"a choice", {{"yes", true}, {"no", false}}};
  value = kWords.value(text);
}

void read_value(std::string_view text, double& value) { value = parse_finite(text); }

void read_value(std::string_view text, float& value) {
  value = static_cast<float>(parse_finite(text));
}

void read_value(std::string_view text, std::string& value) { value = text; }

std::string text_of(bool value) { return value ? "yes" : "no"; }
std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(float value) { return fmt::format("{}", value); }

void check_number(double value, const std::string& text, const Rule& rule) {
  if (!rule.fits_number || rule.fits_number(value)) return;
  throw Error(ErrorCode::usage, "", fmt::format("must be {}, not {}", rule.must_be, text));
}

void check_word(const std::string& text, const Rule& rule) {
  if (rule.words.empty() || std::ranges::find(rule.words, text) != rule.words.end()) return;
  const std::string nearest = nearest_word(text, rule.words);
  throw Error(ErrorCode::usage, "", fmt::format("must be {}, not '{}'", rule.must_be, text),
              nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
}

void check_size(std::size_t size, const Rule& rule) {
  if (rule.not_empty && size == 0) throw Error(ErrorCode::usage, "", "must not be empty");
}

void refuse_setting(std::string_view name, const std::string& owner,
                    std::span<const std::string> known) {
  throw Error(ErrorCode::usage, "", fmt::format("'{}' is not a setting of {}", name, owner),
              known.empty() ? "it has none" : suggestion(name, known));
}

std::pair<std::string_view, std::string_view> split_setting(std::string_view piece,
                                                            const std::string& example) {
  const std::size_t equals = piece.find('=');
  if (equals == piece.npos || equals == 0) {
    throw Error(ErrorCode::usage, "", fmt::format("'{}' is not SETTING=VALUE", piece),
                "write for example " + example);
  }
  return {piece.substr(0, equals), piece.substr(equals + 1)};
}

void about(const std::string& name, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    throw Error(error.code(), name, error.what());
  }
}

}  // namespace fgnn
