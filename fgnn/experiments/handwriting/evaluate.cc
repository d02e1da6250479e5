#include "fgnn/experiments/handwriting/evaluate.h"

#include <set>

#include "fgnn/experiments/handwriting/word_reader.h"

namespace fgnn::handwriting {

void test_handwriting(const network::Model& model, const HandwritingTask& task, int threads,
                      HandwritingOutcome& outcome) {
  std::vector<const HandwrittenWord*> words;
  for (const std::size_t w : task.of(tasks::Stream::test)) words.push_back(&task.words()[w]);
  std::set<std::string> known;
  for (const std::size_t w : task.of(tasks::Stream::train)) known.insert(task.words()[w].text);
  const std::vector<std::string> lexicon(known.begin(), known.end());
  const std::set<std::string> left_out(task.held_out().begin(), task.held_out().end());
  const auto read = read_words(model, words, threads);
  outcome.confusion.assign(kLetterClasses * kLetterClasses, 0);
  outcome.words = words.size();
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::string& label = words[w]->text;
    const std::string guess = likeliest_word(read[w], lexicon);
    outcome.words_right += read[w].text == label;
    for (std::size_t i = 0; i < label.size(); ++i) {
      const bool right = read[w].text[i] == label[i];
      const auto count = [&](Hits& hits, bool hit) {
        ++hits.letters;
        hits.right += hit;
      };
      count(outcome.all, right);
      count(outcome.lexicon, guess[i] == label[i]);
      if (!left_out.empty())
        count(left_out.contains(label) ? outcome.held_out : outcome.seen, right);
      ++outcome.confusion[static_cast<std::size_t>(label[i] - 'a') * kLetterClasses +
                          static_cast<std::size_t>(read[w].text[i] - 'a')];
    }
  }
}

}  // namespace fgnn::handwriting
