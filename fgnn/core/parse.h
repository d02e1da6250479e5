// Pieces of text: numbers, and lists of variants such as
//   max-product:damping=0.5,iterations=50,exact
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fgnn {

// Throws Error(usage): "'text' is not wanted", such as "a number".
[[noreturn]] void refuse_text(std::string_view text, const std::string& wanted);

template <class Number>
Number parse_number(std::string_view text, const std::string& wanted) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) refuse_text(text, wanted);
  return value;
}
// A finite number.
double parse_finite(std::string_view text);

// "0:4:0.5" (FIRST:LAST:STEP, a step of 1 when left out) or "0,1,2.5". Throws Error(usage) about
// `subject` when it is neither, or more than ten thousand numbers.
std::vector<double> parse_levels(const std::string& subject, std::string_view text);

std::vector<std::string> split(std::string_view text, char at);

// "a:x=1,y=2,b" is "a:x=1,y=2" and "b": a piece without a colon that has an equals sign belongs to
// the variant before it.
std::vector<std::string> split_variants(std::string_view text);

}  // namespace fgnn
