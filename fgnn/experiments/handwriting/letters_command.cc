// fgnn letters: files of handwritten words looked at.
#include <fmt/format.h>

#include <map>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/experiments/handwriting/commands.h"
#include "fgnn/experiments/handwriting/letters.h"
#include "fgnn/experiments/handwriting/word_picture.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::handwriting {
namespace {

experiments::Output info(const experiments::Arguments& given) {
  const auto words = read_letters(given.text("FILE"));
  std::size_t letters = 0, shortest = 0, longest = 0;
  std::map<std::uint32_t, std::size_t> folds;
  std::set<std::string> distinct;
  for (const auto& word : words) {
    letters += word.text.size();
    shortest = shortest == 0 ? word.text.size() : std::min(shortest, word.text.size());
    longest = std::max(longest, word.text.size());
    ++folds[word.fold];
    distinct.insert(word.text);
  }
  Json json_folds = Json::object();
  std::string by_fold;
  for (const auto& [fold, count] : folds) {
    json_folds[std::to_string(fold)] = count;
    by_fold += fmt::format("{}{}: {}", by_fold.empty() ? "" : ", ", fold, count);
  }
  Summary summary;
  summary.add("words", fmt::format("{}, {} of them distinct", count_text(double(words.size())),
                                   distinct.size()));
  summary.add("letters", fmt::format("{}, {} to {} in a word", count_text(double(letters)),
                                     shortest, longest));
  summary.add("folds", by_fold.empty() ? "none" : by_fold);
  return {summary.text(), json_text({{"words", words.size()},
                                     {"letters", letters},
                                     {"distinct", distinct},
                                     {"shortest", shortest},
                                     {"longest", longest},
                                     {"folds", json_folds}})};
}

experiments::Output show(const experiments::Arguments& given) {
  const std::string file = given.text("FILE");
  const std::uint64_t wanted = given.whole("--word");
  for (const auto& word : read_letters(file)) {
    if (word.id != wanted) continue;
    return {word_picture(word, {{fmt::format("word {}", word.id), word.text}}), ""};
  }
  throw Error(ErrorCode::usage, file, fmt::format("has no word {}", wanted),
              "see fgnn letters info");
}

}  // namespace

std::vector<experiments::Command> letters_commands() {
  const experiments::Option file{.name = "FILE", .help = "The letters", .required = true};
  return {{.name = "letters",
           .summary = "Look at files of handwritten words",
           .help = "Files have a letter per line, in our layout or that of UCI's letter.data, "
                   "packed by gzip or\nnot (docs/handwriting.md).",
           .examples = {"fgnn letters info letters.tsv.gz"},
           .options = {},
           .run = {}},
          {.name = "letters info",
           .summary = "How many words, letters and folds",
           .help = "Prints the numbers of words and letters, and of words in each fold.",
           .examples = {"fgnn letters info letters.tsv.gz --json"},
           .options = {file},
           .run = info},
          {.name = "letters show",
           .summary = "A word's letters as a picture",
           .help = "Prints an SVG drawing of the images side by side.",
           .examples = {"fgnn letters show letters.tsv.gz --word 7 --out word.svg"},
           .options = {file,
                       {"--word", "N", "The word's number in the file",
                        experiments::Option::Kind::whole, "0"}},
           .run = show,
           .json = false,
           .out = true}};
}

}  // namespace fgnn::handwriting
