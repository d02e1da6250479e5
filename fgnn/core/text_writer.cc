#include "fgnn/core/text_writer.h"

#include <charconv>

namespace fgnn {
namespace {

template <class Number>
void append(std::string& text, Number value) {
  char digits[32];  // the longest shortest form of a double has 24 characters
  const auto [end, failure] = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end);
}

}  // namespace

void TextWriter::add(double value) { append(buffer_, value); }

void TextWriter::add_integer(std::uint64_t value) { append(buffer_, value); }

TextWriter& TextWriter::list(std::span<const double> values, std::size_t per_line) {
  const bool broken = values.size() > per_line;
  for (std::size_t i = 0; i < values.size(); ++i) {
    put(broken && i % per_line == 0 ? "\n  " : " ", values[i]);
  }
  return *this;
}

void TextWriter::flush() {
  if (budget_ != nullptr) budget_->check_time();
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace fgnn
