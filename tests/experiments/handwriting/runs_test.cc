#include "fgnn/experiments/handwriting/runs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "fgnn/core/linear_fit.h"
#include "fgnn/core/random.h"
#include "fgnn/experiments/handwriting/driver.h"
#include "fgnn/experiments/handwriting/evaluate.h"
#include "fgnn/experiments/handwriting/network.h"
#include "fgnn/experiments/handwriting/page.h"
#include "fgnn/experiments/handwriting/tables.h"
#include "fgnn/experiments/handwriting/word_picture.h"
#include "fgnn/experiments/handwriting/word_reader.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::handwriting {
namespace {

using testing::expect_error;
using testing::Scratch;

// Three words, twice in each of two folds.
std::vector<HandwrittenWord> some_words() {
  std::vector<HandwrittenWord> words;
  Rng random(1);
  for (std::uint32_t fold = 0; fold < 2; ++fold) {
    for (const char* text : {"ab", "cab", "ba", "ab", "cab", "ba"}) {
      HandwrittenWord word{static_cast<std::uint32_t>(words.size()), fold, text, {}};
      for (std::size_t i = 0; i < word.text.size(); ++i) {
        LetterImage image;
        for (auto& row : image.rows) row = static_cast<std::uint8_t>(random.below(256));
        word.images.push_back(image);
      }
      words.push_back(std::move(word));
    }
  }
  return words;
}

struct Setting {
  Scratch scratch;
  HandwritingReportOptions options;

  Setting() {
    const auto file = scratch.path() / "letters.tsv";
    std::ofstream(file) << letters_text(some_words());
    options.data = file.string();
    options.folder = scratch.path() / "runs";
    options.folds = options.main_folds = {0, 1};
    options.epochs = 1;
    options.quick = true;
  }
};

// Weights as they are drawn, and a count of the calls.
HandwritingTrainer untrained(int& calls) {
  HandwritingTrainer trainer;
  trainer.train = [&calls](const HandwritingRun& run, const HandwritingTask& task,
                           HandwritingOutcome& outcome) {
    ++calls;
    outcome.seconds = 60;
    auto d = handwriting_network({run.kind, run.kind == "fgnn" ? run.order : 0, 8, 8});
    d.schema = task.schema();
    return network::Model(d, run.fold);
  };
  trainer.epoch_seconds = [](const EpochTime& t) {
    return 1.0 + 2.0 * static_cast<double>(t.order);
  };
  return trainer;
}

TEST(HandwritingReport, FinishedRunsAreNotRepeated) {
  Setting s;
  s.options.tables = {"orders", "baselines", "timing"};
  int calls = 0;
  const auto first = reproduce_handwriting(s.options, untrained(calls));
  // Five orders and two baselines, the third being order 0 again; two folds each.
  EXPECT_EQ(calls, 14);
  EXPECT_EQ(first.outcomes.size(), 14u);
  EXPECT_EQ(first.timings.size(), 7u);
  const auto second = reproduce_handwriting(s.options, untrained(calls));
  EXPECT_EQ(calls, 14);
  ASSERT_EQ(second.outcomes.size(), 14u);
  for (std::size_t i = 0; i < 14; ++i) {
    EXPECT_EQ(line_of(second.outcomes[i]), line_of(first.outcomes[i]));
  }
  // A line that was cut off is done again; without a trainer it is missing.
  const auto file = s.options.folder / "results.jsonl";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
  EXPECT_EQ(reproduce_handwriting(s.options, {}).outcomes.size(), 13u);
  EXPECT_EQ(reproduce_handwriting(s.options, untrained(calls)).outcomes.size(), 14u);
  EXPECT_EQ(calls, 15);
  EXPECT_EQ(reproduce_handwriting(s.options, {}).outcomes.size(), 14u);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
  std::ofstream(file, std::ios::app) << "\n";
  expect_error(ErrorCode::format, "results.jsonl:21: is not a result",
               [&] { reproduce_handwriting(s.options, {}); });
}

TEST(HandwritingReport, OutcomesCountLettersWordsAndConfusions) {
  Setting s;
  s.options.tables = {"held-out"};
  HandwritingRun run;
  run.order = 1;
  run.held_out = 1;
  const HandwritingTask task(run.task(s.options.data));
  int calls = 0;
  HandwritingOutcome o;
  o.run = run;
  const auto model = untrained(calls).train(run, task, o);
  test_handwriting(model, task, 1, o);
  EXPECT_EQ(o.words, 6u);
  EXPECT_EQ(o.all.letters, 14u);
  EXPECT_EQ(o.held_out.letters + o.seen.letters, 14u);
  EXPECT_EQ(o.held_out.letters, 2 * task.held_out()[0].size());
  std::uint64_t sum = 0, diagonal = 0;
  for (std::size_t i = 0; i < o.confusion.size(); ++i) {
    sum += o.confusion[i];
    if (i % 27 == 0) diagonal += o.confusion[i];
  }
  EXPECT_EQ(sum, 14u);
  EXPECT_EQ(diagonal, o.all.right);
  // The words as the network reads them, one by one.
  std::vector<const HandwrittenWord*> words;
  for (const std::size_t w : task.of(tasks::Stream::test)) words.push_back(&task.words()[w]);
  const auto read = read_words(model, words, 2);
  std::uint64_t right = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    ASSERT_EQ(read[w].text.size(), words[w]->text.size());
    for (std::size_t i = 0; i < read[w].text.size(); ++i) {
      right += read[w].text[i] == words[w]->text[i];
      double all = 0;
      for (std::size_t k = 0; k < kLetterClasses; ++k) {
        all += read[w].probabilities[i * kLetterClasses + k];
        EXPECT_LE(read[w].probabilities[i * kLetterClasses + k], read[w].probability(i));
      }
      EXPECT_NEAR(all, 1, 1e-9);
    }
  }
  EXPECT_EQ(right, o.all.right);
}

TEST(HandwritingReport, ChainsAreReadByTheirMarginals) {
  Setting s;
  HandwritingRun run;
  run.kind = "crf";
  const HandwritingTask task(run.task(s.options.data));
  int calls = 0;
  HandwritingOutcome o;
  const auto model = untrained(calls).train(run, task, o);
  test_handwriting(model, task, 1, o);
  EXPECT_EQ(o.all.letters, 14u);
  const auto measured = tasks::evaluate(model, task, tasks::Stream::test, 100, 4, 1);
  EXPECT_EQ(measured.correct, static_cast<double>(o.all.right));
}

TEST(HandwritingReport, TheLexiconHasTheLastWord) {
  ReadWord word{"ab", std::vector<double>(2 * kLetterClasses, 0.01)};
  word.probabilities[0] = 0.5;
  word.probabilities[2] = 0.4;
  word.probabilities[kLetterClasses + 1] = 0.5;
  word.probabilities[kLetterClasses + 3] = 0.3;
  const std::vector<std::string> lexicon{"cb", "ad", "abc", "zz"};
  EXPECT_EQ(likeliest_word(word, lexicon), "cb");  // 0.4 * 0.5 against 0.5 * 0.3
  EXPECT_EQ(likeliest_word(word, std::vector<std::string>{"abc"}), "ab");
}

TEST(HandwritingReport, RowsAreMeansOverFoldsWithThePapersFigures) {
  Setting s;  // too few words to hold ten out
  s.options.tables = {"orders", "main", "timing", "plain", "baselines", "product", "ranks"};
  int calls = 0;
  const auto results = reproduce_handwriting(s.options, untrained(calls));
  const auto rows = handwriting_rows(s.options, results);
  std::set<std::string> tables;
  for (const auto& row : rows) {
    tables.insert(row.table);
    EXPECT_EQ(row.finished, row.planned) << row.table << ", " << row.setting;
    EXPECT_TRUE(row.ours) << row.table << ", " << row.setting;
  }
  EXPECT_EQ(tables.size(), 7u);
  EXPECT_EQ(rows[3].setting, "order 3");
  EXPECT_EQ(rows[3].paper, 96.0);
  EXPECT_EQ(rows[3].minutes, 1.0);
  std::vector<double> two;
  for (const std::uint32_t fold : {0u, 1u}) {
    HandwritingRun run = handwriting_runs("orders", s.options)[6];
    run.fold = fold;
    two.push_back(results.find(run)->all.percent());
  }
  EXPECT_NEAR(*rows[3].ours, (two[0] + two[1]) / 2, 1e-9);
  EXPECT_NEAR(*rows[3].deviation, std::abs(two[0] - two[1]) / std::sqrt(2), 1e-6);
  const auto fit = timing_fit(rows);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->slope, 2, 1e-9);
  EXPECT_NEAR(fit->intercept, 1, 1e-9);
  EXPECT_NEAR(fit->r_squared, 1, 1e-9);
  const std::string page = handwriting_page(s.options, results, rows);
  EXPECT_NE(page.find("R² 1.0000"), std::string::npos);
  EXPECT_NE(page.find("What is taken for what at order 3"), std::string::npos);
}

TEST(HandwritingReport, WordsThatContextRepairedAreShown) {
  Setting s;
  s.options.tables = {"orders"};
  int calls = 0;
  auto trainer = untrained(calls);
  const auto results = reproduce_handwriting(s.options, trainer);
  // Order 0 reads every letter as z; order 3 reads "ba" for every word of two letters.
  for (const auto& run : handwriting_runs("orders", s.options)) {
    if (run.fold != 0 || (run.order != 0 && run.order != 3)) continue;
    const HandwritingTask task(run.task(s.options.data));
    network::Description d = network::Description::parse(
        run.order == 0
            ? R"json({"network": "Out(26)"})json"
            : R"json({"network": "FGNN(2, rank=2, norm=none, residual=no) - Out(26)"})json",
        "d");
    d.schema = task.schema();
    network::Model model(d, 0);
    for (std::size_t p = 0; p < model.program.parameters.size(); ++p) {
      auto& w = model.weights[p];
      const std::string& name = model.program.parameters[p].name;
      std::fill(w.begin(), w.end(), 0.0);
      if (run.order == 0 && name == "0.out.bias") w[25] = 1;
      if (run.order == 0) continue;
      // Column 0 of factors of order 1 is 1 where there is a letter to the left.
      if (name == "0.order1.vf.shift") w[0] = 1;
      if (name == "0.order1.fv.scale") w[2] = 1;  // the factor at the letter itself
      if (name == "0.variable.update.linear.weight") w[0] = 1;
      if (name == "1.out.weight") w[0] = 2;  // "a" where the sum is 1,
      if (name == "1.out.bias") w[1] = 1;    // else "b"
    }
    std::filesystem::create_directories(s.options.folder / run.name());
    network::save_model(s.options.folder / run.name() / "model.safetensors", model);
  }
  const std::string page =
      handwriting_page(s.options, results, handwriting_rows(s.options, results));
  const auto at = page.find("Words that context repaired");
  ASSERT_NE(at, std::string::npos);
  // Two test words are "ba".
  std::size_t pictures = 0;
  for (auto p = page.find("order 3</text>", at); p != std::string::npos;
       p = page.find("order 3</text>", p + 1)) {
    ++pictures;
  }
  EXPECT_EQ(pictures, 2u);
}

TEST(HandwritingReport, RefusesWhatCannotBe) {
  Setting s;
  s.options.tables = {"order"};
  expect_error(ErrorCode::usage, "orders", [&] { reproduce_handwriting(s.options, {}); });
  s.options.tables = {};
  s.options.data = "";
  expect_error(ErrorCode::usage, "--data letters.tsv.gz",
               [&] { reproduce_handwriting(s.options, {}); });
  expect_error(ErrorCode::usage, "does not take handwritten words", [&] {
    network::Description d = network::Description::parse(R"json({"network": "Out(2)"})json", "d");
    d.schema.variable_features = 2;
    read_words(network::Model(d, 0), {}, 1);
  });
}

TEST(WordPicture, HasASquarePerPixelAndMarksMistakes) {
  HandwrittenWord word{1, 0, "ab", std::vector<LetterImage>(2)};
  word.images[0].rows[0] = 0x81;
  const std::string svg = word_picture(word, {{"read", "ac"}});
  std::size_t squares = 0;
  for (auto p = svg.find("h4v4h-4z"); p != std::string::npos; p = svg.find("h4v4h-4z", p + 1)) {
    ++squares;
  }
  EXPECT_EQ(squares, 2u);
  EXPECT_NE(svg.find("#c00000\" font-weight=\"bold\">c<"), std::string::npos);
  EXPECT_EQ(svg.find("bold\">a<"), std::string::npos);
}

TEST(LinearFit, FindsTheLineAndItsSpread) {
  const auto fit = linear_fit({{0, 1}, {1, 3}, {2, 5}});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->slope, 2, 1e-12);
  EXPECT_NEAR(fit->r_squared, 1, 1e-12);
  const auto loose = linear_fit({{0, 0}, {1, 3}, {2, 0}});
  EXPECT_NEAR(loose->r_squared, 0, 1e-12);
  EXPECT_FALSE(linear_fit({{0, 1}, {1, 2}}));
  EXPECT_FALSE(linear_fit({{1, 1}, {1, 2}, {1, 3}}));
}

}  // namespace
}  // namespace fgnn::handwriting
