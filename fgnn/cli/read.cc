// fgnn read: a trained network reads handwritten words.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/handwriting/letter_pictures.h"
#include "fgnn/experiments/handwriting/word_reader.h"
#include "fgnn/io/gzip.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/model.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string weights;
  SolverOptions solver;
  OutputOptions output;
};

struct Word {
  std::string name;  // the picture's file, or the number in a file of letters
  handwriting::HandwrittenWord word;
};

std::vector<Word> words_of(const std::vector<std::string>& files) {
  std::vector<Word> all;
  for (const auto& file : files) {
    const std::string text = read_packed_text(file);
    if (handwriting::is_picture(text)) {
      all.push_back({file, handwriting::parse_picture(text, file)});
      continue;
    }
    for (auto& word : handwriting::parse_letters(text, file)) {
      all.push_back({std::to_string(word.id), std::move(word)});
    }
  }
  return all;
}

Json json_of(const Word& word, const handwriting::ReadWord& read) {
  Json letters = Json::array();
  for (std::size_t i = 0; i < read.text.size(); ++i) {
    Json all = Json::object();
    for (std::size_t k = 0; k < handwriting::kLetterClasses; ++k) {
      all[std::string(1, static_cast<char>('a' + k))] =
          read.probabilities[i * handwriting::kLetterClasses + k];
    }
    letters.push_back(std::move(all));
  }
  Json object{{"word", word.name}, {"read", read.text}};
  if (!word.word.text.empty()) object["label"] = word.word.text;
  object["letters"] = std::move(letters);
  return object;
}

void run(const Options& o) {
  const auto words = words_of(o.files);
  std::vector<const handwriting::HandwrittenWord*> pointers;
  for (const auto& word : words) pointers.push_back(&word.word);
  const int threads = o.solver.threads > 0 ? o.solver.threads : default_threads();
  const auto read = handwriting::read_words(learned::load_network(o.weights), pointers, threads);
  std::size_t letters = 0, right = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::size_t i = 0; i < words[w].word.text.size(); ++i) {
      ++letters;
      right += words[w].word.text[i] == read[w].text[i];
    }
  }
  if (o.output.json) {
    Json list = Json::array();
    for (std::size_t w = 0; w < words.size(); ++w) list.push_back(json_of(words[w], read[w]));
    Json json{{"words", std::move(list)}};
    if (letters > 0) json["accuracy"] = static_cast<double>(right) / static_cast<double>(letters);
    return o.output.deliver(json_text(json));
  }
  TextTable table({{"word", Align::left},
                   {"read", Align::left},
                   {"label", Align::left},
                   {"probability of each letter, %", Align::left}});
  const std::size_t most = o.output.rows();
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
  if (letters > 0) {
    text += fmt::format("{} of {} letters as labelled, {:.2f} %\n", right, letters,
                        100 * static_cast<double>(right) / static_cast<double>(letters));
  }
  o.output.deliver(text);
}

}  // namespace

void add_read(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "read", "Read handwritten words with a trained network",
      "Files of letters (fgnn letters), or pictures of one word each: PBM or PGM, 16 pixels high "
      "and 8\nwide for every letter. Prints each word as read, its label where the file has one, "
      "and the\nprobability of each letter; --json has the probabilities of all 26 letters.",
      {"fgnn read letters.tsv.gz --weights runs/order3/model.safetensors",
       "fgnn read word.pbm other.pgm --weights model.safetensors --json"});
  command->add_option("FILE", options->files, "Letters or pictures")->required()->type_name("");
  command->add_option("--weights", options->weights, "The network, by fgnn train handwriting")
      ->required()
      ->type_name("MODEL");
  options->solver.declare_threads(*command);
  options->output.declare(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
