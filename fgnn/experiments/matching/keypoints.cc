#include "fgnn/experiments/matching/keypoints.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/io/gzip.h"
#include "fgnn/io/tab_lines.h"

namespace fgnn::matching {
namespace {

constexpr std::string_view kHeader =
    "class\tsplit\timage\tobject\txmin\tymin\twidth\theight\trow\tcount\tkeypoints";
enum Field { kClass, kSplit, kImage, kObject, kXmin, kYmin, kWidth, kHeight, kRow, kCount, kList };
constexpr double kMostPixels = 1e6;
constexpr std::uint64_t kMostKeypoints = 1000, kMostRows = 1u << 30, kMostObjects = 1u << 20;

// Numbers for words, in the order of their first use.
class Numbers {
 public:
  explicit Numbers(std::vector<std::string>& words) : words_(words) {}
  std::uint32_t of(std::string_view word) {
    const auto [at, added] =
        known_.try_emplace(std::string(word), static_cast<std::uint32_t>(words_.size()));
    if (added) words_.emplace_back(word);
    return at->second;
  }

 private:
  std::vector<std::string>& words_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

void read_list(const TabLine& line, std::uint64_t count, Numbers& names, KeypointObject& object) {
  std::string_view rest = line[kList];
  std::set<std::uint32_t> seen;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::string_view entry = rest.substr(0, rest.find(';'));
    const std::size_t first = entry.find(':'), second = entry.rfind(':');
    if (first == 0 || first == std::string_view::npos || first == second) {
      line.expected(kList, entry, "a keypoint name:x:y");
    }
    const std::uint32_t name = names.of(entry.substr(0, first));
    if (!seen.insert(name).second) line.expected(kList, entry, "every name once");
    object.names.push_back(name);
    object.pixels.push_back(
        {line.number(kList, entry.substr(first + 1, second - first - 1), "a pixel", kMostPixels),
         line.number(kList, entry.substr(second + 1), "a pixel", kMostPixels)});
    rest.remove_prefix(entry.size());
    if (k + 1 < count) {
      if (rest.empty()) line.fail(kList, fmt::format("has {} keypoints, not {}", k + 1, count));
      rest.remove_prefix(1);
    }
  }
  if (!rest.empty()) line.fail(kList, fmt::format("has more than {} keypoints", count));
}

KeypointObject read_object(const TabLine& line, Numbers& classes, Numbers& names) {
  line.expect(kList + 1);
  KeypointObject o;
  if (line[kClass].empty()) line.expected(kClass, line[kClass], "a class");
  o.of_class = classes.of(line[kClass]);
  if (line[kSplit] != "train" && line[kSplit] != "test") {
    line.expected(kSplit, line[kSplit], "train or test");
  }
  o.test = line[kSplit] == "test";
  if (line[kImage].empty() || line[kImage].find(':') != std::string_view::npos) {
    line.expected(kImage, line[kImage], "the name of a picture, without a colon");
  }
  o.image = line[kImage];
  o.number = static_cast<std::uint32_t>(line.whole(kObject, "the number of an object", 1u << 30));
  o.xmin = line.number(kXmin, "a pixel", kMostPixels);
  o.ymin = line.number(kYmin, "a pixel", kMostPixels);
  o.width = line.number(kWidth, "a width", kMostPixels);
  o.height = line.number(kHeight, "a height", kMostPixels);
  if (!(o.width > 0)) line.expected(kWidth, line[kWidth], "a width above 0");
  if (!(o.height > 0)) line.expected(kHeight, line[kHeight], "a height above 0");
  o.row = line.whole(kRow, "a row", kMostRows);
  read_list(line, line.whole(kCount, "a number of keypoints", kMostKeypoints), names, o);
  return o;
}

}  // namespace

Point KeypointObject::in_box(std::size_t k) const {
  return {2 * (pixels[k].x - xmin) / width - 1, 2 * (pixels[k].y - ymin) / height - 1};
}

std::size_t KeypointTable::find(std::string_view text) const {
  const auto colon = text.find(':');
  const std::string_view image = text.substr(0, colon);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i].image != image) continue;
    if (colon != std::string_view::npos &&
        text.substr(colon + 1) != std::to_string(objects[i].number)) {
      continue;
    }
    found.push_back(i);
  }
  if (found.empty()) {
    throw Error(ErrorCode::usage, std::string(text), "is not an object of the data",
                "give IMAGE:OBJECT, as in 2008_000123:1");
  }
  if (found.size() > 1) {
    throw Error(ErrorCode::usage, std::string(text), fmt::format("has {} objects", found.size()),
                fmt::format("give {}:{} or another", image, objects[found[0]].number));
  }
  return found[0];
}

std::string KeypointTable::text() const {
  std::string out = fmt::format("{}\n", kHeader);
  for (const auto& o : objects) {
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t", classes[o.of_class],
                       o.test ? "test" : "train", o.image, o.number, o.xmin, o.ymin, o.width,
                       o.height, o.row, o.names.size());
    for (std::size_t k = 0; k < o.names.size(); ++k) {
      out += fmt::format("{}{}:{}:{}", k == 0 ? "" : ";", names[o.names[k]], o.pixels[k].x,
                         o.pixels[k].y);
    }
    out += '\n';
  }
  return out;
}

KeypointTable parse_keypoints(std::string_view text, const std::string& file) {
  KeypointTable table;
  Numbers classes(table.classes), names(table.names);
  for (const auto& line : tab_lines(text, kHeader, file)) {
    if (table.objects.size() == kMostObjects) line.fail(0, "is one object too many");
    table.objects.push_back(read_object(line, classes, names));
    const auto& o = table.objects.back();
    if (o.row != table.rows) {
      line.fail(kRow, fmt::format("is {}, but {} keypoints come before", o.row, table.rows));
    }
    table.rows += o.names.size();
  }
  return table;
}

KeypointTable read_keypoints(const std::filesystem::path& file) {
  return parse_keypoints(read_packed_text(file), file.string());
}

}  // namespace fgnn::matching
