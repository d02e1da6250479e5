// fgnn read: a trained network reads handwritten words.
#include <fmt/format.h>

#include "fgnn/experiments/handwriting/commands.h"
#include "fgnn/experiments/handwriting/letter_pictures.h"
#include "fgnn/experiments/handwriting/word_reader.h"
#include "fgnn/io/gzip.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/model.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text_table.h"

namespace fgnn::handwriting {
namespace {

struct Word {
  std::string name;  // the picture's file, or the number in a file of letters
  HandwrittenWord word;
};

std::vector<Word> words_of(const std::vector<std::string>& files) {
  std::vector<Word> all;
  for (const auto& file : files) {
    const std::string text = read_packed_text(file);
    if (is_picture(text)) {
      all.push_back({file, parse_picture(text, file)});
      continue;
    }
    for (auto& word : parse_letters(text, file)) {
      all.push_back({std::to_string(word.id), std::move(word)});
    }
  }
  return all;
}

Json json_of(const Word& word, const ReadWord& read) {
  Json letters = Json::array();
  for (std::size_t i = 0; i < read.text.size(); ++i) {
    Json all = Json::object();
    for (std::size_t k = 0; k < kLetterClasses; ++k) {
      all[std::string(1, static_cast<char>('a' + k))] = read.probabilities[i * kLetterClasses + k];
    }
    letters.push_back(std::move(all));
  }
  Json object{{"word", word.name}, {"read", read.text}};
  if (!word.word.text.empty()) object["label"] = word.word.text;
  object["letters"] = std::move(letters);
  return object;
}

std::string table_text(const std::vector<Word>& words, const std::vector<ReadWord>& read,
                       std::size_t most) {
  TextTable table({{"word", Align::left},
                   {"read", Align::left},
                   {"label", Align::left},
                   {"probability of each letter, %", Align::left}});
  for (std::size_t w = 0; w < words.size() && (most == 0 || w < most); ++w) {
    std::string sure;
    for (std::size_t i = 0; i < read[w].text.size(); ++i) {
      sure += fmt::format("{}{} {:.0f}", i > 0 ? "  " : "", read[w].text[i],
                          100 * read[w].probability(i));
    }
    table.add({words[w].name, read[w].text, words[w].word.text, sure});
  }
  std::string text = table.text();
  if (most > 0 && words.size() > most) {
    text += fmt::format("  … and {} more words\n", words.size() - most);
  }
  return text;
}

experiments::Output run(const experiments::Arguments& given) {
  const auto words = words_of(given.list("FILE"));
  std::vector<const HandwrittenWord*> pointers;
  for (const auto& word : words) pointers.push_back(&word.word);
  const auto read =
      read_words(learned::load_network(given.text("--weights")), pointers, given.threads);
  std::size_t letters = 0, right = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::size_t i = 0; i < words[w].word.text.size(); ++i) {
      ++letters;
      right += words[w].word.text[i] == read[w].text[i];
    }
  }
  const double accuracy = static_cast<double>(right) / static_cast<double>(letters);
  if (given.json) {
    Json list = Json::array();
    for (std::size_t w = 0; w < words.size(); ++w) list.push_back(json_of(words[w], read[w]));
    Json json{{"words", std::move(list)}};
    if (letters > 0) json["accuracy"] = accuracy;
    return {"", json_text(json)};
  }
  std::string text = table_text(words, read, given.rows);
  if (letters > 0) {
    text += fmt::format("{} of {} letters as labelled, {:.2f} %\n", right, letters, 100 * accuracy);
  }
  return {text, ""};
}

}  // namespace

experiments::Command read_command() {
  return {
      .name = "read",
      .summary = "Read handwritten words with a trained network",
      .help =
          "Files of letters (fgnn letters), or pictures of one word each: PBM or PGM, 16 pixels "
          "high "
          "and 8\nwide for every letter. Prints each word as read, its label where the file has "
          "one, "
          "and the\nprobability of each letter; --json has the probabilities of all 26 letters.",
      .examples = {"fgnn read letters.tsv.gz --weights runs/order3/model.safetensors",
                   "fgnn read word.pbm other.pgm --weights model.safetensors --json"},
      .options = {{.name = "FILE",
                   .help = "Letters or pictures",
                   .kind = experiments::Option::Kind::list,
                   .required = true},
                  {.name = "--weights",
                   .value = "MODEL",
                   .help = "The network, by fgnn train handwriting",
                   .required = true}},
      .run = run,
      .out = true,
      .threads = true};
}

}  // namespace fgnn::handwriting
