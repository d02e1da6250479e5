#include "fgnn/core/token_reader.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace fgnn {
namespace {

constexpr std::size_t kPiece = 64 << 10;
constexpr std::size_t kShown = 40;  // characters of a token in a message

enum class Kind : unsigned char { token, white, newline, hash };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (char c : {' ', '\t', '\r', '\f', '\v'}) kinds[static_cast<unsigned char>(c)] = Kind::white;
  kinds['\n'] = Kind::newline;
  kinds['#'] = Kind::hash;
  return kinds;
}();

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

}  // namespace

std::string in_quotes(std::string_view token) {
  std::string text = "'";
  for (char c : token.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return text + (token.size() > kShown ? "…'" : "'");
}

TokenReader::TokenReader(std::istream& in, std::string file, Comments comments)
    : in_(in), file_(std::move(file)), buffer_(new char[kPiece + kMaxToken]), comments_(comments) {}

// Moves what is to be kept to the front and reads the next piece after it; false at the end.
bool TokenReader::refill(std::size_t keep_from) {
  if (deadline_ != nullptr && deadline_->interrupted()) {
    refuse(ErrorCode::interrupted, place_, "interrupted while reading");
  }
  if (deadline_ != nullptr && deadline_->expired()) {
    refuse(ErrorCode::time_limit, place_,
           fmt::format("not read within the {:.3g} s allowed", deadline_->limit()),
           "allow more with --time-limit");
  }
  const std::size_t kept = end_ - keep_from;
  std::memmove(buffer_.get(), buffer_.get() + keep_from, kept);
  base_ += keep_from;
  position_ -= keep_from;
  in_.read(buffer_.get() + kept, static_cast<std::streamsize>(kPiece));
  if (in_.bad()) throw Error(ErrorCode::io, file_, "cannot be read");
  end_ = kept + static_cast<std::size_t>(in_.gcount());
  return end_ > kept;
}

void TokenReader::skip_comment() {
  while (position_ < end_ || refill(end_)) {
    const void* newline = std::memchr(buffer_.get() + position_, '\n', end_ - position_);
    if (newline != nullptr) {
      position_ = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.get());
      return;
    }
    position_ = end_;
  }
}

// Stops at the first byte of a token, or at the end of the file with position_ == end_.
void TokenReader::skip_white() {
  while (position_ < end_ || refill(end_)) {
    const Kind kind = kind_of(buffer_[position_]);
    if (kind == Kind::token || (kind == Kind::hash && comments_ == Comments::none)) return;
    if (kind == Kind::hash) {
      skip_comment();
      continue;
    }
    ++position_;
    if (kind == Kind::newline) {
      ++line_;
      line_start_ = base_ + position_;
    }
  }
}

void TokenReader::scan() {
  skip_white();
  token_place_ = {line_, base_ + position_ - line_start_ + 1};
  std::size_t start = position_;
  while (true) {
    while (position_ < end_) {
      const Kind kind = kind_of(buffer_[position_]);
      if (kind != Kind::token && (kind != Kind::hash || comments_ == Comments::hash)) break;
      ++position_;
    }
    if (position_ - start > kMaxToken) {
      fail_at(token_place_, fmt::format("a word of more than {} characters", kMaxToken));
    }
    if (position_ < end_ || position_ == start) break;
    const bool more = refill(start);
    start = 0;
    if (!more) break;
  }
  token_ = std::string_view(buffer_.get() + start, position_ - start);
  peeked_ = true;
}

std::string_view TokenReader::take(std::string_view what) {
  const std::string_view token = peek();
  place_ = token_place_;
  if (token.empty()) fail(fmt::format("expected {}, found the end of the file", what));
  peeked_ = false;
  return token;
}

bool TokenReader::take_if(std::string_view word) {
  if (peek() != word) return false;
  take(word);
  return true;
}

std::string_view TokenReader::word(std::string_view what) { return take(what); }

std::uint64_t TokenReader::integer(std::string_view what, std::uint64_t low, std::uint64_t high) {
  const std::string_view token = take(what);
  std::uint64_t value = 0;
  const auto [stop, failure] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (stop != token.data() + token.size() || failure == std::errc::invalid_argument) {
    fail_expected(what, token);
  }
  if (failure != std::errc() || value < low || value > high) {
    fail(fmt::format("expected {} from {} to {}, found {}", what, low, high, in_quotes(token)));
  }
  return value;
}

double TokenReader::number(std::string_view what, Infinity infinity) {
  const std::string_view token = take(what);
  const char* first = token.data();
  const char* last = first + token.size();
  if (*first == '+' && token.size() > 1 && first[1] != '-')
    ++first;  // from_chars does not take a plus
  double value = 0;
  const auto [stop, failure] = std::from_chars(first, last, value);
  if (stop != last || failure == std::errc::invalid_argument) fail_expected(what, token);
  if (failure != std::errc()) {
    fail(fmt::format("{} is outside the range of a double", in_quotes(token)));
  }
  if (!std::isfinite(value) && (infinity == Infinity::none || !(value < 0))) {
    fail_expected(what, token);
  }
  return value;
}

void TokenReader::expect(std::string_view word) {
  const std::string what = in_quotes(word);
  if (const std::string_view token = take(what); token != word) fail_expected(what, token);
}

void TokenReader::expect_end(std::string_view what) {
  if (!at_end()) fail_at(next_place(), fmt::format("{} after {}", in_quotes(peek()), what));
}

void TokenReader::fail_expected(std::string_view what, std::string_view found) const {
  fail(fmt::format("expected {}, found {}", what, in_quotes(found)));
}

void TokenReader::refuse(ErrorCode code, Place place, std::string message, std::string hint) const {
  throw Error(code, fmt::format("{}:{}:{}", file_, place.line, place.column), std::move(message),
              std::move(hint));
}

void TokenReader::fail_at(Place place, std::string message, std::string hint) const {
  refuse(ErrorCode::format, place, std::move(message), std::move(hint));
}

}  // namespace fgnn
