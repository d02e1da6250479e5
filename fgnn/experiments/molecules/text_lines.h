// A text line by line, with the place for messages: what the readers of molecules share.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/error.h"

namespace fgnn::molecules {

// Views into the text, which must outlive them.
class TextLines {
 public:
  TextLines(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  bool at_end() const { return position_ >= text_.size(); }
  // The next line, without its end (\n or \r\n). `what` completes "ends where … should be".
  std::string_view next(std::string_view what);
  // The same without taking it; empty at the end.
  std::string_view peek() const;
  void skip_blank();
  std::size_t number() const { return number_; }  // of the last line taken, from 1
  const std::string& file() const { return file_; }

  // Throws Error(format) at the last line taken.
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;

 private:
  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0, number_ = 0;
};

// Pieces between blanks and tabs.
std::vector<std::string_view> words(std::string_view line);
std::string_view trimmed(std::string_view text);

// A finite number; also as Mathematica writes it, 1.5*^-6. False when it is none.
bool read_number(std::string_view text, double& value);
bool read_whole(std::string_view text, std::int64_t& value);

}  // namespace fgnn::molecules
