// Data sets of motions on disk, every second frame of them:
//
//   CMU     a folder with sequences.tsv (split, action, name, frames, trial, file) and the files it
//           names, or the release's folders train/ACTION/*.txt and test/ACTION/*.txt
//   H3.6M   a folder with S1, S5, S6, S7, S8, S9 and S11, each with ACTION_1.txt and ACTION_2.txt;
//           subject 5 is for tests, 11 for validation, the others for training
//
// Captures are at 120 (CMU) and 50 (H3.6M) frames per second. The protocol keeps every second frame
// from the first on and calls the result 25 frames per second, 40 ms each, for both.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/experiments/motion/frames.h"
#include "fgnn/experiments/motion/layout.h"

namespace fgnn::motion {

inline constexpr std::size_t kEvery = 2;  // frames of a capture to one that is kept

enum class Split { train, validation, test };

struct Sequence {
  Split split = Split::train;
  std::string action;
  Frames frames;  // kept ones
};

// Which files there are, and in what order; reading them is for later.
class Corpus {
 public:
  // Throws Error(io) or Error(format) naming what is missing.
  explicit Corpus(const std::filesystem::path& folder);

  const Layout& layout() const { return layout_; }
  const std::vector<std::string>& actions() const { return actions_; }  // in the protocol's order
  bool has(Split split) const;

  // All sequences of a split by actions, or of some of them.
  std::vector<Sequence> read(Split split, int threads) const;

 private:
  struct File {
    Split split;
    std::string action;
    std::filesystem::path path;
    std::vector<std::pair<std::string, std::size_t>> expected;  // names and frames; empty: any
  };
  void list_packed(const std::filesystem::path& folder);
  void list_release(const std::filesystem::path& folder);
  void list_h36m(const std::filesystem::path& folder);
  void take_skeleton(const std::filesystem::path& file);

  Layout layout_;
  std::vector<std::string> actions_;
  std::vector<File> files_;
};

const std::vector<std::string>& cmu_actions();
const std::vector<std::string>& h36m_actions();

}  // namespace fgnn::motion
