#include "fgnn/experiments/motion/corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/io/gzip.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/read_text.h"
#include "fgnn/io/tab_lines.h"

namespace fgnn::motion {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 29;
constexpr std::uint64_t kMostFrames = 10'000'000;

std::vector<Frames> read_frames(const fs::path& file) {
  const std::string text = unpacked(read_text(file, kMostBytes), file.string(), kMostBytes);
  return parse_frames(text, file.string(), kEvery);
}

std::vector<fs::path> text_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

const std::vector<std::string>& cmu_actions() {
  static const std::vector<std::string> all{"basketball", "basketball_signal", "directing_traffic",
                                            "jumping",    "running",           "soccer",
                                            "walking",    "washwindow"};
  return all;
}

const std::vector<std::string>& h36m_actions() {
  static const std::vector<std::string> all{
      "walking",     "eating",      "smoking", "discussion", "directions",
      "greeting",    "phoning",     "posing",  "purchases",  "sitting",
      "sittingdown", "takingphoto", "waiting", "walkingdog", "walkingtogether"};
  return all;
}

Corpus::Corpus(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw Error(ErrorCode::io, folder.string(), "is not a folder");
  if (file_exists(folder / "S1") || file_exists(folder / "S5")) {
    list_h36m(folder);
  } else if (file_exists(folder / "sequences.tsv")) {
    list_packed(folder);
  } else if (file_exists(folder / "train") || file_exists(folder / "test")) {
    list_release(folder);
  } else {
    throw Error(ErrorCode::format, folder.string(), "holds no motions that are known",
                "CMU's has sequences.tsv or train/ and test/, H3.6M's S1/ to S11/");
  }
  if (files_.empty()) throw Error(ErrorCode::format, folder.string(), "has no sequences");
  take_skeleton(folder / "skeleton.tsv");
}

void Corpus::take_skeleton(const fs::path& file) {
  if (!file_exists(file)) return;
  Skeleton given = parse_skeleton(read_text(file), file.string());
  if (!given.same_tree(layout_.skeleton)) {
    throw Error(
        ErrorCode::format, file.string(),
        fmt::format("is not the tree of {} joints that this layout has", layout_.skeleton.size()));
  }
  for (std::size_t j = 0; j < given.size(); ++j) {
    layout_.skeleton.joints[j].offset = given.joints[j].offset;
  }
}

void Corpus::list_packed(const fs::path& folder) {
  layout_ = cmu_layout();
  actions_ = cmu_actions();
  const fs::path table = folder / "sequences.tsv";
  const std::string name = table.string(), text = read_text(table);
  for (const TabLine& line :
       tab_lines(text, "#split\taction\tname\tframes\tcmu_trial\tfile", name)) {
    line.expect(6);
    if (line[0] != "train" && line[0] != "test") line.fail(0, "expected train or test");
    if (line[3] == "-" && line[5] == "absent") continue;
    const auto frames = line.whole(3, "a number of frames", kMostFrames);
    if (std::ranges::find(actions_, line[1]) == actions_.end()) continue;  // not the protocol's
    const fs::path path = folder / fs::path(line[5]).filename();
    auto file = std::ranges::find(files_, path, &File::path);
    if (file == files_.end()) {
      files_.push_back(
          {line[0] == "train" ? Split::train : Split::test, std::string(line[1]), path, {}});
      file = files_.end() - 1;
    }
    file->expected.emplace_back(line[2], frames);
  }
}

void Corpus::list_release(const fs::path& folder) {
  layout_ = cmu_layout();
  actions_ = cmu_actions();
  for (const Split split : {Split::train, Split::test}) {
    for (const auto& action : actions_) {
      const auto part = folder / (split == Split::train ? "train" : "test") / action;
      for (const auto& path : text_files(part)) files_.push_back({split, action, path, {}});
    }
  }
}

void Corpus::list_h36m(const fs::path& folder) {
  layout_ = h36m_layout();
  actions_ = h36m_actions();
  for (const int subject : {1, 6, 7, 8, 9, 11, 5}) {
    const Split split = subject == 5    ? Split::test
                        : subject == 11 ? Split::validation
                                        : Split::train;
    const fs::path part = folder / fmt::format("S{}", subject);
    if (!file_exists(part)) continue;
    for (const auto& action : actions_) {
      for (const int trial : {1, 2}) {
        files_.push_back({split, action, part / fmt::format("{}_{}.txt", action, trial), {}});
      }
    }
  }
}

bool Corpus::has(Split split) const {
  return std::ranges::find(files_, split, &File::split) != files_.end();
}

std::vector<Sequence> Corpus::read(Split split, int threads) const {
  std::vector<const File*> wanted;
  for (const File& f : files_) {
    if (f.split == split) wanted.push_back(&f);
  }
  std::vector<std::vector<Frames>> read(wanted.size());
  parallel_tasks(threads, wanted.size(), [&](std::size_t i) {
    const File& file = *wanted[i];
    read[i] = read_frames(file.path);
    const std::string name = file.path.string();
    if (read[i][0].columns != layout_.skeleton.columns()) {
      throw Error(ErrorCode::format, name,
                  fmt::format("has {} columns where this data set has {}", read[i][0].columns,
                              layout_.skeleton.columns()));
    }
    if (file.expected.empty()) return;
    const auto kept = [](std::size_t frames) { return (frames + kEvery - 1) / kEvery; };
    if (!std::ranges::equal(read[i], file.expected, [&](const Frames& f, const auto& e) {
          return f.name == e.first && f.size() == kept(e.second);
        })) {
      throw Error(ErrorCode::format, name, "does not hold the sequences that sequences.tsv names");
    }
  });
  std::vector<Sequence> all;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (Frames& f : read[i]) all.push_back({split, wanted[i]->action, std::move(f)});
  }
  return all;
}

}  // namespace fgnn::motion
