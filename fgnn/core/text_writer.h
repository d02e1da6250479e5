// Text to a stream through a buffer. Numbers are written in the shortest form that reads back as
// the same double.
#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "fgnn/core/budget.h"

namespace fgnn {

class TextWriter {
 public:
  // With a budget, writing throws Error(time_limit) once its time is over.
  explicit TextWriter(std::ostream& out, const Budget* budget = nullptr)
      : out_(out), budget_(budget) {}

  // put("factor ", 3, ' ', 0.5, '\n')
  template <class... Parts>
  TextWriter& put(const Parts&... parts) {
    (add(parts), ...);
    if (buffer_.size() >= kPiece) flush();
    return *this;
  }
  // The values, each after a space; more than `per_line` are broken into indented lines.
  TextWriter& list(std::span<const double> values, std::size_t per_line);

  // Must be called at the end. Failures show in the state of the stream.
  void flush();

 private:
  static constexpr std::size_t kPiece = 64 << 10;

  void add(std::string_view text) { buffer_ += text; }
  void add(char c) { buffer_ += c; }
  void add(double value);
  void add_integer(std::uint64_t value);
  template <std::unsigned_integral Integer>
  void add(Integer value) {
    add_integer(value);
  }

  std::ostream& out_;
  const Budget* budget_;
  std::string buffer_;
};

}  // namespace fgnn
