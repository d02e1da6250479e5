// White-space separated tokens from a stream, read in pieces of 64 KiB and never as a whole, with
// the place of each for messages. All text formats are read through this.
//
// Errors are Error(format) whose subject is file:line:column; columns count bytes from 1.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/timing.h"

namespace fgnn {

struct Place {
  std::uint64_t line = 1, column = 1;
};

enum class Comments { none, hash };   // hash: from '#' to the end of the line
enum class Infinity { none, minus };  // whether a number may be -inf

class TokenReader {
 public:
  static constexpr std::size_t kMaxToken = 1024;  // longer ones are errors

  // `file` is the name used in messages.
  TokenReader(std::istream& in, std::string file, Comments comments);

  // Error(time_limit) once this has passed, looked at with every piece read; null: never.
  void keep_to(const Deadline* deadline) { deadline_ = deadline; }

  // Nothing but white space and comments is left.
  bool at_end() { return peek().empty(); }
  // The next token without taking it; empty at the end. Views live until the next call.
  std::string_view peek() {
    if (!peeked_) scan();
    return token_;
  }
  // Takes the next token if it is this one.
  bool take_if(std::string_view word);

  // Each takes one token; `what` completes "expected …" when it is missing or of another kind.
  std::string_view word(std::string_view what);
  std::uint64_t integer(std::string_view what, std::uint64_t low, std::uint64_t high);
  std::uint32_t integer32(std::string_view what, std::uint32_t low = 0,
                          std::uint32_t high = UINT32_MAX) {
    return static_cast<std::uint32_t>(integer(what, low, high));
  }
  double number(std::string_view what, Infinity infinity = Infinity::none);
  void expect(std::string_view word);
  // Throws unless at_end(); `what` is what has ended.
  void expect_end(std::string_view what);

  // Where the last token taken began.
  Place place() const { return place_; }
  // Where the next token begins, or the end of the file.
  Place next_place() {
    peek();
    return token_place_;
  }
  std::uint64_t bytes_read() const { return base_ + position_; }
  const std::string& file() const { return file_; }

  // Throw Error(format) at the last token taken, or at a place remembered.
  [[noreturn]] void fail(std::string message, std::string hint = {}) const {
    fail_at(place_, std::move(message), std::move(hint));
  }
  [[noreturn]] void fail_at(Place place, std::string message, std::string hint = {}) const;
  // The same with another code.
  [[noreturn]] void refuse(ErrorCode code, Place place, std::string message,
                           std::string hint = {}) const;

  // Runs `action`; the Error(model) of a builder or potential becomes Error(format) at `place`.
  template <class Action>
  decltype(auto) at(Place place, Action&& action) const {
    try {
      return std::forward<Action>(action)();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::model) throw;
      fail_at(place, error.what());
    }
  }

 private:
  void scan();
  void skip_white();
  void skip_comment();
  bool refill(std::size_t keep_from);
  std::string_view take(std::string_view what);
  [[noreturn]] void fail_expected(std::string_view what, std::string_view found) const;

  std::istream& in_;
  std::string file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t position_ = 0, end_ = 0;
  std::uint64_t base_ = 0;        // file offset of buffer_[0]
  std::uint64_t line_ = 1;        // of position_
  std::uint64_t line_start_ = 0;  // file offset of the line's first byte
  Comments comments_;
  bool peeked_ = false;
  std::string_view token_;
  Place token_place_, place_;
  const Deadline* deadline_ = nullptr;
};

// The token as messages show it: in quotes, shortened, one line, printable.
std::string in_quotes(std::string_view token);

}  // namespace fgnn
