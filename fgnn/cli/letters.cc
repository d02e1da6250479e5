// fgnn letters: files of handwritten words looked at.
#include "fgnn/experiments/handwriting/letters.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/experiments/handwriting/word_picture.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string file;
  std::uint32_t word = 0;
  OutputOptions output;
};

void show_info(const Options& o) {
  const auto words = handwriting::read_letters(o.file);
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
  if (o.output.json) {
    Json by_fold = Json::object();
    for (const auto& [fold, count] : folds) by_fold[std::to_string(fold)] = count;
    return o.output.deliver(json_text({{"words", words.size()},
                                       {"letters", letters},
                                       {"distinct", distinct},
                                       {"shortest", shortest},
                                       {"longest", longest},
                                       {"folds", by_fold}}));
  }
  std::string by_fold;
  for (const auto& [fold, count] : folds) {
    by_fold += fmt::format("{}{}: {}", by_fold.empty() ? "" : ", ", fold, count);
  }
  Summary summary;
  summary.add("words", fmt::format("{}, {} of them distinct", count_text(double(words.size())),
                                   distinct.size()));
  summary.add("letters", fmt::format("{}, {} to {} in a word", count_text(double(letters)),
                                     shortest, longest));
  summary.add("folds", by_fold.empty() ? "none" : by_fold);
  o.output.deliver(summary.text());
}

void show_word(const Options& o) {
  for (const auto& word : handwriting::read_letters(o.file)) {
    if (word.id != o.word) continue;
    return o.output.deliver(
        handwriting::word_picture(word, {{fmt::format("word {}", word.id), word.text}}));
  }
  throw Error(ErrorCode::usage, o.file, fmt::format("has no word {}", o.word),
              "see fgnn letters info");
}

}  // namespace

void add_letters(CLI::App& app) {
  CLI::App* letters =
      add_command(app, "letters", "Look at files of handwritten words",
                  "Files have a letter per line, in our layout or that of UCI's letter.data, "
                  "packed by gzip or\nnot (docs/handwriting.md).",
                  {"fgnn letters info letters.tsv.gz"});
  letters->require_subcommand(1);
  const auto add = [&](const char* name, const char* description, const char* prints,
                       const char* example, void (*show)(const Options&)) {
    auto options = std::make_shared<Options>();
    CLI::App* command = add_command(*letters, name, description, prints, {example});
    command->add_option("FILE", options->file, "The letters")->required()->type_name("");
    command->callback([options, show] { show(*options); });
    return std::pair(command, options);
  };
  const auto [info, info_options] = add("info", "How many words, letters and folds",
                                        "Prints the numbers of words and letters, "
                                        "and of words in each fold.",
                                        "fgnn letters info letters.tsv.gz --json", show_info);
  info_options->output.declare_json(*info);
  const auto [show, show_options] =
      add("show", "A word's letters as a picture",
          "Prints an SVG drawing of the images side by "
          "side.",
          "fgnn letters show letters.tsv.gz --word 7 --out word.svg", show_word);
  show->add_option("--word", show_options->word, "The word's number in the file")
      ->check(not_negative())
      ->type_name("N")
      ->capture_default_str();
  show->add_option("--out", show_options->output.file, "The file to write; default standard output")
      ->type_name("FILE");
}

}  // namespace fgnn::cli
