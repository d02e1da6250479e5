// A trained network reads handwritten words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fgnn/experiments/handwriting/letters.h"
#include "fgnn/network/model.h"

namespace fgnn::handwriting {

struct ReadWord {
  std::string text;                   // each letter the likeliest
  std::vector<double> probabilities;  // kLetterClasses for each letter

  double probability(std::size_t position) const;  // of the letter given
};

// Of a network that ends in Out(26), or in Chain(26): then the marginals of the chain. Threads take
// turns on batches. Throws Error(usage) when the network does not take words.
std::vector<ReadWord> read_words(const network::Model& model,
                                 std::span<const HandwrittenWord* const> words, int threads);

// The likeliest of `lexicon` with as many letters, by the product of the letters' probabilities;
// the word as read where there is none.
std::string likeliest_word(const ReadWord& word, std::span<const std::string> lexicon);

}  // namespace fgnn::handwriting
