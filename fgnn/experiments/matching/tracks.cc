#include "fgnn/experiments/matching/tracks.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/io/gzip.h"
#include "fgnn/io/tab_lines.h"

namespace fgnn::matching {

std::vector<std::vector<Point>> parse_tracks(std::string_view text, const std::string& file) {
  constexpr double kMostPixels = 1e6;
  constexpr std::uint64_t kMost = 1u << 20;
  std::vector<std::vector<Point>> frames;
  for (const auto& line : tab_lines(text, "frame\tpoint\tx\ty", file)) {
    line.expect(4);
    const std::uint64_t frame = line.whole(0, "a frame", kMost);
    const std::uint64_t point = line.whole(1, "a point", kMost);
    if (frame == frames.size()) frames.emplace_back();
    if (frame + 1 != frames.size()) line.fail(0, "frames are not in order");
    if (point != frames.back().size()) line.fail(1, "points are not in order");
    frames.back().push_back(
        {line.number(2, "a pixel", kMostPixels), line.number(3, "a pixel", kMostPixels)});
  }
  for (std::size_t f = 1; f < frames.size(); ++f) {
    if (frames[f].size() == frames[0].size()) continue;
    throw Error(ErrorCode::format, fmt::format("{}: frame {}", file, f),
                fmt::format("has {} points, the first has {}", frames[f].size(), frames[0].size()));
  }
  return frames;
}

std::vector<std::vector<Point>> read_tracks(const std::filesystem::path& file) {
  return parse_tracks(read_packed_text(file), file.string());
}

}  // namespace fgnn::matching
