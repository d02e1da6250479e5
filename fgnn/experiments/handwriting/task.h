// Handwritten words as a task (the paper's section 5.4): the letters of a word from their images,
// each letter in the context of its neighbours.
//
//   variable features   16 x 8 pixels, 0 to 1
//   "order1" … "orderK" a factor of order k at every letter joins the letters within distance k
//                       that the word has; the kind of an edge is the distance, from -k to k
//   "pair"              instead, where `pairs` is set: neighbours, for pairwise networks
//
// Trained on one fold, tested on all others, as in the paper.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fgnn/core/settings.h"
#include "fgnn/experiments/handwriting/letters.h"
#include "fgnn/tasks/task.h"

namespace fgnn::handwriting {

struct HandwritingOptions {
  std::string data;  // the file (experiments/handwriting/letters.h)
  std::uint32_t fold = 0;
  std::size_t order = 3;  // 0: every letter alone
  bool pairs = false;     // neighbours instead of windows
  bool augment = true;    // training sees every image turned, stretched and moved a little
  tasks::Loss loss = tasks::Loss::cross_entropy;  // or Loss::chain
  // So many of the distinct words are left out of training, drawn by the seed.
  std::size_t held_out = 0;
  std::string test = "all";    // words to be tested on: all, held_out or seen
  std::size_t validation = 0;  // words at the end of the fold that are kept for validation
  std::uint64_t seed = 0;

  void validate() const;  // throws Error(usage)
};
const SettingList<HandwritingOptions>& task_settings();

// Words as a network of this schema takes them: of windows, or of pairs. Structures of one length
// are shared.
class WordGraphs {
 public:
  explicit WordGraphs(const network::Schema& schema);  // throws Error(usage) for other schemas
  WordGraphs(std::size_t order, bool pairs) : order_(order), pairs_(pairs) {}

  network::Schema schema() const;
  network::Batch graph(std::span<const LetterImage> images) const;
  std::shared_ptr<const network::Structure> structure(std::size_t letters) const;

 private:
  std::size_t order_ = 0;
  bool pairs_ = false;
  mutable std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
  mutable std::map<std::size_t, std::shared_ptr<const network::Structure>> made_;
};

class HandwritingTask : public tasks::Task {
 public:
  explicit HandwritingTask(HandwritingOptions options);  // reads the file
  HandwritingTask(HandwritingOptions options,
                  std::shared_ptr<const std::vector<HandwrittenWord>> words);

  std::string name() const override { return "handwriting"; }
  network::Schema schema() const override;
  tasks::Loss loss() const override { return options_.loss; }
  bool has(tasks::Stream stream) const override { return !of(stream).empty(); }
  // Augmented words never come twice, and are without number.
  std::uint64_t size(tasks::Stream stream) const override;
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override;
  // Without the file, which says nothing about a trained model.
  std::map<std::string, std::string> settings() const override;

  // The words of a stream, as positions in words().
  std::span<const std::size_t> of(tasks::Stream stream) const {
    return streams_[static_cast<int>(stream)];
  }
  const std::vector<HandwrittenWord>& words() const { return *words_; }
  const std::vector<std::string>& held_out() const { return held_out_; }

 private:
  std::size_t shuffled(std::uint64_t index) const;  // of training: pass after pass, all words

  HandwritingOptions options_;
  WordGraphs graphs_;
  std::shared_ptr<const std::vector<HandwrittenWord>> words_;
  std::vector<std::size_t> streams_[3];
  std::vector<std::string> held_out_;  // sorted
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, std::vector<std::size_t>> passes_;  // the last few
};

}  // namespace fgnn::handwriting
