#include "fgnn/experiments/matching/point_list.h"

#include <fmt/format.h>

#include <set>

#include "fgnn/core/error.h"
#include "fgnn/io/gzip.h"
#include "fgnn/io/tab_lines.h"

namespace fgnn::matching {

PointList parse_point_list(std::string_view text, const std::string& file) {
  constexpr double kMostPixels = 1e6;
  constexpr std::size_t kMostPoints = 2000;
  PointList list;
  std::set<std::string_view> seen;
  for (const auto& line : tab_lines(text, "name\tx\ty", file)) {
    line.expect(3);
    if (line[0].empty()) line.expected(0, line[0], "a name");
    if (!seen.insert(line[0]).second) line.expected(0, line[0], "every name once");
    if (list.names.size() == kMostPoints) line.fail(0, "is one point too many");
    list.names.emplace_back(line[0]);
    list.pixels.push_back(
        {line.number(1, "a pixel", kMostPixels), line.number(2, "a pixel", kMostPixels)});
  }
  if (list.names.size() < 2) {
    throw Error(ErrorCode::format, file, fmt::format("has {} points", list.names.size()),
                "matching needs two or more");
  }
  return list;
}

PointList read_point_list(const std::filesystem::path& file) {
  return parse_point_list(read_packed_text(file), file.string());
}

}  // namespace fgnn::matching
