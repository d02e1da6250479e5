// Frames of exponential maps as text: one line each, numbers separated by commas. A line
// "# NAME FRAMES" begins a sequence of that many frames, so that a file may hold several; without
// such lines the file is one sequence.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fgnn::motion {

// Frames one after another.
struct Frames {
  std::string name;
  std::size_t columns = 0;
  std::vector<double> numbers;

  std::size_t size() const { return columns == 0 ? 0 : numbers.size() / columns; }
  std::span<const double> operator[](std::size_t frame) const {
    return std::span(numbers).subspan(frame * columns, columns);
  }
  void add(std::span<const double> frame);
};

// Every `every`-th frame is kept, beginning with the first; all lines are checked. Columns must be
// 99 or 117, the same in the whole file. Throws Error(format) with line and column.
std::vector<Frames> parse_frames(std::string_view text, const std::string& file,
                                 std::size_t every = 1);

// The text of a sequence, with nine digits.
std::string frames_text(const Frames& frames);

}  // namespace fgnn::motion
