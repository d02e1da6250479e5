#include "fgnn/experiments/motion/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "fgnn/core/error.h"
#include "fgnn/core/printable.h"
#include "fgnn/experiments/motion/layout.h"

namespace fgnn::motion {
namespace {

constexpr double kLargest = 1e6;

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, std::size_t every)
      : text_(text), file_(file), every_(every) {}

  std::vector<Frames> read() {
    while (position_ < text_.size()) {
      take_line();
      if (line_.find_first_not_of(" \t") == line_.npos) continue;
      if (line_.starts_with('#')) {
        header();
      } else {
        frame();
      }
    }
    check_complete();
    if (columns_ == 0) fail(0, "the file has no frames");
    return std::move(found_);
  }

 private:
  void take_line() {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    line_ = text_.substr(position_, end - position_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    position_ = end + 1;
    ++number_;
  }

  [[noreturn]] void fail(std::size_t column, const std::string& what,
                         const std::string& hint = {}) const {
    throw Error(ErrorCode::format,
                fmt::format("{}:{}:{}", file_, std::max<std::size_t>(number_, 1), column + 1), what,
                hint);
  }

  void check_complete() const {
    if (declared_ == kUndeclared || seen_ == declared_) return;
    fail(0, fmt::format("'{}' ends after {} frames of {}", printable(found_.back().name), seen_,
                        declared_));
  }

  // "# NAME FRAMES"
  void header() {
    if (!found_.empty() && declared_ == kUndeclared) {
      fail(0, "a sequence begins behind frames without a name", "write # NAME FRAMES above them");
    }
    check_complete();
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    std::string_view rest = line_.substr(1);
    while (!rest.empty() && blank(rest.front())) rest.remove_prefix(1);
    while (!rest.empty() && blank(rest.back())) rest.remove_suffix(1);
    const std::size_t space = rest.find_last_of(" \t");
    std::size_t frames = 0;
    const std::string_view count = space == rest.npos ? rest : rest.substr(space + 1);
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), frames);
    if (space == rest.npos || error != std::errc() || end != count.data() + count.size() ||
        frames == 0) {
      fail(0, "expected # NAME FRAMES", "such as # walking_1 518");
    }
    std::string_view name = rest.substr(0, space);
    while (!name.empty() && blank(name.back())) name.remove_suffix(1);
    found_.push_back({std::string(name), columns_, {}});
    declared_ = frames;
    seen_ = 0;
  }

  void frame() {
    if (found_.empty()) {
      found_.push_back({std::filesystem::path(file_).stem().string(), columns_, {}});
    }
    if (seen_ == declared_) fail(0, fmt::format("more than the {} frames announced", declared_));
    std::vector<double>& to = found_.back().numbers;
    const std::size_t before = to.size();
    std::size_t begin = 0, count = 0;
    while (true) {
      const std::size_t end = std::min(line_.find(',', begin), line_.size());
      to.push_back(number(begin, end));
      ++count;
      if (columns_ > 0 && count > columns_)
        fail(begin, fmt::format("more than {} columns", columns_));
      if (end == line_.size()) break;
      begin = end + 1;
    }
    if (columns_ == 0) {
      layout_of_columns(count, fmt::format("{}:{}", file_, number_));
      columns_ = count;
      for (auto& f : found_) f.columns = count;
    }
    if (count != columns_) {
      fail(line_.size(), fmt::format("the frame ends after {} of {} columns", count, columns_));
    }
    if (seen_++ % every_ != 0) to.resize(before);
  }

  double number(std::size_t begin, std::size_t end) const {
    const char *first = line_.data() + begin, *last = line_.data() + end;
    while (first < last && *first == ' ') ++first;
    while (first < last && last[-1] == ' ') --last;
    double value = 0;
    const auto [rest, error] = std::from_chars(first, last, value);
    if (error != std::errc() || rest != last || first == last || !(std::abs(value) <= kLargest)) {
      fail(begin, fmt::format(
                      "expected a number, found '{}'",
                      printable(std::string_view(first, std::min<std::size_t>(last - first, 30)))));
    }
    return value;
  }

  static constexpr std::size_t kUndeclared = ~std::size_t{0};
  std::string_view text_, line_;
  const std::string& file_;
  const std::size_t every_;
  std::size_t position_ = 0, number_ = 0, columns_ = 0;
  std::size_t declared_ = kUndeclared, seen_ = 0;  // of the current sequence
  std::vector<Frames> found_;
};

}  // namespace

void Frames::add(std::span<const double> frame) {
  numbers.insert(numbers.end(), frame.begin(), frame.end());
}

std::vector<Frames> parse_frames(std::string_view text, const std::string& file,
                                 std::size_t every) {
  return Reader(text, file, every).read();
}

std::string frames_text(const Frames& frames) {
  std::string text;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const auto row = frames[f];
    for (std::size_t c = 0; c < row.size(); ++c) {
      fmt::format_to(std::back_inserter(text), "{}{:.9g}", c == 0 ? "" : ",", row[c]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace fgnn::motion
