#include "fgnn/experiments/handwriting/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/experiments/handwriting/affine.h"

namespace fgnn::handwriting {
namespace {

constexpr std::size_t kMostOrder = 100, kPassesKept = 4;
constexpr std::uint64_t kWordStream = 1, kOrderStream = 2, kImageStream = 3;  // of random numbers

std::shared_ptr<const std::vector<HandwrittenWord>> words_of(const std::string& file) {
  if (file.empty()) {
    throw Error(ErrorCode::usage, "task handwriting", "has no data",
                "name the file of letters: --task data=letters.tsv.gz");
  }
  return std::make_shared<const std::vector<HandwrittenWord>>(read_letters(file));
}

network::Relation window(std::size_t letters, std::size_t order) {
  network::Relation r;
  r.factors = letters;
  r.kinds = 2 * order + 1;
  for (std::size_t c = 0; c < letters; ++c) {
    const std::size_t first = c > order ? c - order : 0;
    for (std::size_t i = first; i <= std::min(letters - 1, c + order); ++i) {
      r.factor.push_back(static_cast<network::Index>(c));
      r.variable.push_back(static_cast<network::Index>(i));
      r.kind.push_back(static_cast<network::Index>(i + order - c));
    }
  }
  return r;
}

network::Relation neighbours(std::size_t letters) {
  network::Relation r;
  r.factors = letters - 1;
  r.kinds = 2;
  for (std::size_t c = 0; c + 1 < letters; ++c) {
    for (std::size_t k = 0; k < 2; ++k) {
      r.factor.push_back(static_cast<network::Index>(c));
      r.variable.push_back(static_cast<network::Index>(c + k));
      r.kind.push_back(static_cast<network::Index>(k));
    }
  }
  return r;
}

}  // namespace

const SettingList<HandwritingOptions>& task_settings() {
  using O = HandwritingOptions;
  static const SettingList<O> kSettings = [] {
    SettingList<O> all("task handwriting");
    const Words<tasks::Loss> losses{
        "a loss", {{"letters", tasks::Loss::cross_entropy}, {"chain", tasks::Loss::chain}}};
    all.add("data", &O::data, "FILE", "the file of letters; default: in the folder of FGNN_DATA");
    all.add("fold", &O::fold, "N", "to train on");
    all.add("order", &O::order, "K", "of the largest factors; 0: every letter alone");
    all.add("pairs", &O::pairs, "CHOICE", "neighbours instead of windows, for pairwise networks");
    all.add("augment", &O::augment, "CHOICE", "turn, stretch and move images in training");
    all.add_words("loss", &O::loss, losses, "LOSS", "or chain");
    all.add("held_out", &O::held_out, "N", "distinct words left out of training");
    all.add("test", &O::test, "WORDS", "words to test on: all, held_out or seen");
    all.add("validation", &O::validation, "N", "words at the end of the fold kept for validation");
    all.add("data_seed", &O::seed, "N", "of what is drawn");
    return all;
  }();
  return kSettings;
}

void HandwritingOptions::validate() const {
  const auto check = [](bool holds, const char* field, const char* what) {
    if (!holds) throw Error(ErrorCode::usage, field, what);
  };
  check(order <= kMostOrder, "order", "is above 100");
  check(loss == tasks::Loss::cross_entropy || loss == tasks::Loss::chain, "loss",
        "is neither letters nor chain");
  check(test == "all" || test == "held_out" || test == "seen", "test",
        "is neither all, held_out nor seen");
  check(test != "held_out" || held_out > 0, "test", "is held_out, but held_out is 0");
}

HandwritingTask::HandwritingTask(HandwritingOptions options)
    : HandwritingTask(options, words_of(options.data)) {}

HandwritingTask::HandwritingTask(HandwritingOptions options,
                                 std::shared_ptr<const std::vector<HandwrittenWord>> words)
    : options_((options.validate(), std::move(options))),
      graphs_(options_.order, options_.pairs),
      words_(std::move(words)) {
  std::set<std::string> distinct;
  for (const auto& word : *words_) distinct.insert(word.text);
  if (options_.held_out > 0 && options_.held_out >= distinct.size()) {
    throw Error(ErrorCode::usage, "held_out",
                fmt::format("is {} of {} distinct words", options_.held_out, distinct.size()));
  }
  held_out_.assign(distinct.begin(), distinct.end());
  Rng random(options_.seed, kWordStream);
  random.shuffle(held_out_);
  held_out_.resize(options_.held_out);
  std::sort(held_out_.begin(), held_out_.end());

  auto& train = streams_[static_cast<int>(tasks::Stream::train)];
  auto& validation = streams_[static_cast<int>(tasks::Stream::validation)];
  auto& test = streams_[static_cast<int>(tasks::Stream::test)];
  for (std::size_t w = 0; w < words_->size(); ++w) {
    const auto& word = (*words_)[w];
    const bool left_out = std::binary_search(held_out_.begin(), held_out_.end(), word.text);
    if (word.fold == options_.fold) {
      if (!left_out) train.push_back(w);
    } else if (options_.test == "all" || left_out == (options_.test == "held_out")) {
      test.push_back(w);
    }
  }
  if (train.size() <= options_.validation) {
    throw Error(ErrorCode::usage, fmt::format("fold {}", options_.fold),
                fmt::format("has {} words to train on", train.size()),
                options_.validation > 0 ? "leave fewer for validation" : "folds count from 0");
  }
  validation.assign(train.end() - static_cast<std::ptrdiff_t>(options_.validation), train.end());
  train.resize(train.size() - options_.validation);
}

network::Schema HandwritingTask::schema() const { return graphs_.schema(); }

std::uint64_t HandwritingTask::size(tasks::Stream stream) const {
  return stream == tasks::Stream::train && options_.augment ? 0 : of(stream).size();
}

std::size_t HandwritingTask::shuffled(std::uint64_t index) const {
  const auto& all = streams_[static_cast<int>(tasks::Stream::train)];
  const std::uint64_t pass = index / all.size();
  const std::lock_guard lock(mutex_);
  auto& order = passes_[pass];
  if (order.empty()) {
    order = all;
    Rng random(options_.seed ^ (kOrderStream << 32), pass);
    random.shuffle(order);
    // Not this one, which a worker that lags behind asked for: the oldest of the others.
    if (passes_.size() > kPassesKept) {
      const auto oldest = passes_.begin();
      passes_.erase(oldest->first == pass ? std::next(oldest) : oldest);
    }
  }
  return order[index % all.size()];
}

tasks::Labelled HandwritingTask::instance(tasks::Stream stream, std::uint64_t index) const {
  const bool augmented = stream == tasks::Stream::train && options_.augment;
  const auto& word = (*words_)[augmented ? shuffled(index) : of(stream)[index]];
  tasks::Labelled result;
  result.batch = graphs_.graph(word.images);
  if (augmented) {
    Rng random(options_.seed ^ (kImageStream << 32), index);
    result.batch.variable.clear();
    for (const auto& image : word.images) {
      add_transformed(image, AffineRange(), random, result.batch.variable);
    }
  }
  for (const char letter : word.text) result.classes.push_back(letter - 'a');
  return result;
}

std::map<std::string, std::string> HandwritingTask::settings() const {
  auto all = task_settings().map(options_);
  all.erase("data");
  return all;
}

WordGraphs::WordGraphs(const network::Schema& schema) {
  const auto& relations = schema.relations;
  pairs_ = relations.size() == 1 && relations[0].name == "pair";
  order_ = pairs_ ? 0 : relations.size();
  bool fits = schema.variable_features == kLetterPixels;
  for (std::size_t k = 0; k < order_; ++k) {
    fits = fits && relations[k].name == fmt::format("order{}", k + 1);
  }
  if (!fits) {
    throw Error(ErrorCode::usage, "the network", "does not take handwritten words",
                "train one: fgnn train handwriting");
  }
}

network::Schema WordGraphs::schema() const {
  network::Schema schema{kLetterPixels, {}};
  if (pairs_) schema.relations.push_back({"pair", 1, 2, 0});
  for (std::size_t k = 1; k <= order_ && !pairs_; ++k) {
    schema.relations.push_back({fmt::format("order{}", k), 0, 2 * k + 1, 0});
  }
  return schema;
}

std::shared_ptr<const network::Structure> WordGraphs::structure(std::size_t letters) const {
  const std::lock_guard lock(*mutex_);
  auto& made = made_[letters];
  if (made == nullptr) {
    std::vector<network::Relation> relations;
    if (pairs_) relations.push_back(neighbours(letters));
    for (std::size_t k = 1; k <= order_ && !pairs_; ++k) relations.push_back(window(letters, k));
    made = std::make_shared<const network::Structure>(letters, std::move(relations));
  }
  return made;
}

network::Batch WordGraphs::graph(std::span<const LetterImage> images) const {
  network::Batch batch;
  batch.structure = structure(images.size());
  batch.relations.resize(batch.structure->relations().size());
  if (pairs_) batch.relations[0].factor.assign(images.size() - 1, 1.0);
  for (const auto& image : images) {
    for (std::size_t p = 0; p < kLetterPixels; ++p) {
      batch.variable.push_back(image.pixel(p / kLetterWidth, p % kLetterWidth) ? 1 : 0);
    }
  }
  return batch;
}

}  // namespace fgnn::handwriting
