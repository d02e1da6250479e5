#include "fgnn/experiments/handwriting/word_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/handwriting/task.h"
#include "fgnn/kernels/softmax.h"
#include "fgnn/network/run.h"
#include "fgnn/tasks/chain.h"

namespace fgnn::handwriting {
namespace {

constexpr std::size_t kBatch = 64;  // words
constexpr std::size_t kChainWidth = kLetterClasses * (kLetterClasses + 1);

// The probabilities of one word from its rows of the network's output.
std::vector<double> probabilities(std::span<const float> rows, std::size_t width) {
  if (width == kChainWidth) return tasks::chain_marginals(tasks::ChainRows::of(rows, width));
  std::vector<double> logs(rows.begin(), rows.end()), out(rows.size());
  kernels::softmax_forward(logs.data(), rows.size() / width, width, out.data(), 1);
  return out;
}

ReadWord read(std::span<const float> rows, std::size_t width) {
  ReadWord word{{}, probabilities(rows, width)};
  for (auto at = word.probabilities.begin(); at != word.probabilities.end(); at += kLetterClasses) {
    word.text += static_cast<char>('a' + (std::max_element(at, at + kLetterClasses) - at));
  }
  return word;
}

}  // namespace

double ReadWord::probability(std::size_t position) const {
  return probabilities[position * kLetterClasses + static_cast<std::size_t>(text[position] - 'a')];
}

std::vector<ReadWord> read_words(const network::Model& model,
                                 std::span<const HandwrittenWord* const> words, int threads) {
  const WordGraphs graphs(model.description.schema);
  const std::size_t width = model.program.registers[model.program.output].width;
  if ((width != kLetterClasses && width != kChainWidth) ||
      model.program.registers[model.program.output].place.rows != network::Place::variable) {
    throw Error(ErrorCode::usage, "the network", "has no output for every letter a to z",
                "train one: fgnn train handwriting");
  }
  std::vector<ReadWord> result(words.size());
  const std::size_t batches = (words.size() + kBatch - 1) / kBatch;
  parallel_for(threads, batches, 1, [&](std::size_t begin, std::size_t end) {
    network::Runner<float> runner(model);
    for (std::size_t b = begin; b < end; ++b) {
      const auto some = words.subspan(b * kBatch, std::min(kBatch, words.size() - b * kBatch));
      std::vector<network::Batch> batch;
      for (const auto* word : some) batch.push_back(graphs.graph(word->images));
      const network::Batch joined = network::Batch::of(batch);
      const auto rows = runner.run(joined, 1);
      std::size_t row = 0;
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::size_t letters = some[i]->images.size();
        result[b * kBatch + i] = read(rows.subspan(row * width, letters * width), width);
        row += letters;
      }
    }
  });
  return result;
}

std::string likeliest_word(const ReadWord& word, std::span<const std::string> lexicon) {
  std::string best = word.text;
  double most = -std::numeric_limits<double>::infinity();
  for (const auto& candidate : lexicon) {
    if (candidate.size() != word.text.size()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      sum += std::log(std::max(
          1e-300,
          word.probabilities[i * kLetterClasses + static_cast<std::size_t>(candidate[i] - 'a')]));
    }
    if (sum > most) {
      most = sum;
      best = candidate;
    }
  }
  return best;
}

}  // namespace fgnn::handwriting
