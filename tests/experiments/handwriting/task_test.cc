#include "fgnn/experiments/handwriting/task.h"

#include <gtest/gtest.h>

#include <set>

#include "fgnn/experiments/registry.h"
#include "fgnn/network/model.h"
#include "fgnn/network/run.h"
#include "tests/reference/environment.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::handwriting {
namespace {

using testing::expect_error;
using testing::same_numbers;

// Words of a small language with random images, three of each in every fold.
std::shared_ptr<const std::vector<HandwrittenWord>> some_words() {
  auto words = std::make_shared<std::vector<HandwrittenWord>>();
  Rng rng(1);
  for (std::uint32_t fold = 0; fold < 3; ++fold) {
    for (const char* text : {"a", "be", "cab", "decade", "facade"}) {
      for (int copy = 0; copy < 3; ++copy) {
        HandwrittenWord word{static_cast<std::uint32_t>(words->size()), fold, text, {}};
        for (std::size_t i = 0; i < word.text.size(); ++i) {
          LetterImage image;
          for (auto& row : image.rows) row = static_cast<std::uint8_t>(rng.below(256));
          word.images.push_back(image);
        }
        words->push_back(std::move(word));
      }
    }
  }
  return words;
}

HandwritingTask task(HandwritingOptions o) { return {std::move(o), some_words()}; }

std::string text_of(const tasks::Labelled& l) {
  std::string text;
  for (const auto c : l.classes) text += static_cast<char>('a' + c);
  return text;
}

TEST(Handwriting, TrainsOnOneFoldAndIsTestedOnTheOthers) {
  const auto words = some_words();
  const HandwritingTask t({.fold = 1, .augment = false, .validation = 2}, words);
  EXPECT_EQ(t.size(tasks::Stream::train), 13u);
  EXPECT_EQ(t.size(tasks::Stream::validation), 2u);
  EXPECT_EQ(t.size(tasks::Stream::test), 30u);
  for (const auto stream : {tasks::Stream::train, tasks::Stream::validation, tasks::Stream::test}) {
    for (const std::size_t w : t.of(stream)) {
      EXPECT_EQ((*words)[w].fold == 1, stream != tasks::Stream::test);
    }
    for (std::uint64_t i = 0; i < t.size(stream); ++i) {
      EXPECT_EQ(text_of(t.instance(stream, i)), (*words)[t.of(stream)[i]].text);
    }
  }
}

TEST(Handwriting, WindowsAreCutOffAtTheEndsOfTheWord) {
  const auto s = WordGraphs(2, false).structure(4);
  ASSERT_EQ(s->relations().size(), 2u);
  const auto& one = s->relations()[0];
  EXPECT_EQ(one.factors, 4u);
  EXPECT_EQ(one.kinds, 3u);
  EXPECT_EQ(one.factor, (std::vector<network::Index>{0, 0, 1, 1, 1, 2, 2, 2, 3, 3}));
  EXPECT_EQ(one.variable, (std::vector<network::Index>{0, 1, 0, 1, 2, 1, 2, 3, 2, 3}));
  EXPECT_EQ(one.kind, (std::vector<network::Index>{1, 2, 0, 1, 2, 0, 1, 2, 0, 1}));
  const auto& two = s->relations()[1];
  EXPECT_EQ(two.kinds, 5u);
  EXPECT_EQ(two.edges(), 3u + 4 + 4 + 3);
  // A word of one letter has factors of that letter alone.
  const auto alone = WordGraphs(3, false).structure(1);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(alone->relations()[k].edges(), 1u);
    EXPECT_EQ(alone->relations()[k].kind[0], k + 1);
  }
  EXPECT_EQ(WordGraphs(0, true).structure(1)->relations()[0].factors, 0u);
  EXPECT_EQ(WordGraphs(0, true).structure(3)->relations()[0].factors, 2u);
}

TEST(Handwriting, AugmentationIsNewEveryTimeAndTheSameForEveryone) {
  const HandwritingTask one = task({.augment = true}), two = task({.augment = true});
  EXPECT_EQ(one.size(tasks::Stream::train), 0u);
  std::multiset<std::string> pass;
  for (std::uint64_t i = 0; i < 15; ++i) {
    const auto a = one.instance(tasks::Stream::train, i), b = two.instance(tasks::Stream::train, i);
    EXPECT_EQ(a.batch.variable, b.batch.variable);
    EXPECT_EQ(a.classes, b.classes);
    for (const double p : a.batch.variable) EXPECT_TRUE(p >= 0 && p <= 1);
    pass.insert(text_of(a));
  }
  for (const char* text : {"a", "be", "cab", "decade", "facade"}) EXPECT_EQ(pass.count(text), 3u);
  // A later pass has the words in another order and other images; an earlier one is still there.
  std::vector<std::string> first, later;
  for (std::uint64_t i = 0; i < 15; ++i) {
    later.push_back(text_of(one.instance(tasks::Stream::train, 15 * 40 + i)));
    first.push_back(text_of(one.instance(tasks::Stream::train, i)));
    EXPECT_EQ(first.back(), text_of(two.instance(tasks::Stream::train, i)));
  }
  EXPECT_NE(first, later);
  // Tests are never augmented.
  for (const double p : one.instance(tasks::Stream::test, 0).batch.variable)
    EXPECT_TRUE(p == 0 || p == 1);
}

TEST(Handwriting, HeldOutWordsAreNeverTrainedOn) {
  const HandwritingTask t = task({.augment = false, .held_out = 2, .test = "held_out"});
  ASSERT_EQ(t.held_out().size(), 2u);
  const std::set<std::string> out(t.held_out().begin(), t.held_out().end());
  for (std::uint64_t i = 0; i < t.size(tasks::Stream::train); ++i) {
    EXPECT_FALSE(out.contains(text_of(t.instance(tasks::Stream::train, i))));
  }
  for (std::uint64_t i = 0; i < t.size(tasks::Stream::test); ++i) {
    EXPECT_TRUE(out.contains(text_of(t.instance(tasks::Stream::test, i))));
  }
  EXPECT_EQ(t.size(tasks::Stream::train), 9u);
  EXPECT_EQ(t.size(tasks::Stream::test), 12u);
  EXPECT_EQ(task({.held_out = 2, .test = "seen"}).size(tasks::Stream::test), 18u);
  EXPECT_NE(task({.held_out = 2, .seed = 3}).held_out(), task({.held_out = 2}).held_out());
}

TEST(Handwriting, RefusesWhatCannotBe) {
  expect_error(ErrorCode::usage, "fold 7: has 0 words to train on", [] { task({.fold = 7}); });
  expect_error(ErrorCode::usage, "held_out: is 5 of 5 distinct words",
               [] { task({.held_out = 5}); });
  expect_error(ErrorCode::usage, "test: is held_out, but held_out is 0",
               [] { task({.test = "held_out"}); });
  expect_error(ErrorCode::usage, "order: is above 100", [] { task({.order = 101}); });
  const testing::EnvironmentVariable none("FGNN_DATA", std::nullopt);
  expect_error(ErrorCode::usage, "has no data", [] { experiments::make_task("handwriting", {}); });
  expect_error(ErrorCode::usage, "loss: 'l1' is not a loss", [] {
    experiments::make_task("handwriting", {{"loss", "l1"}});
  });
  expect_error(ErrorCode::usage, "does not take handwritten words", [] {
    WordGraphs(network::Schema{2, {}});
  });
}

// Words of different lengths, in a batch or alone, come out the same.
TEST(Handwriting, NeighboursInABatchDoNotMatter) {
  const HandwritingTask t = task({.order = 2, .augment = false});
  const WordGraphs again(t.schema());
  network::Description d = network::Description::parse(
      R"json({"network": "Image(16, 8) - Conv(4, pool=2) - FC(8) - 2*FGNN(8, rank=6) - Out(26)"})json",
      "d");
  d.schema = t.schema();
  const network::Model model(d, 1);
  network::Runner<double> runner(model);
  const std::vector<std::uint64_t> all{0, 4, 8, 11, 13};
  const auto together = runner.run(tasks::batch_of(t, tasks::Stream::train, all, 1).batch);
  const std::vector<double> rows(together.begin(), together.end());
  std::vector<double> alone;
  for (const auto i : all) {
    const auto& word = t.words()[t.of(tasks::Stream::train)[i]];
    const auto one = runner.run(again.graph(word.images));
    alone.insert(alone.end(), one.begin(), one.end());
  }
  EXPECT_TRUE(same_numbers(alone, rows, 1e-12));
}

// Two workers at a small fold are passes apart, and the one behind asks for what is gone.
TEST(Handwriting, WordsDoNotDependOnTheOrderInWhichPassesAreAskedFor) {
  const HandwritingOptions options{.fold = 1, .augment = true};
  const auto words = some_words();
  const HandwritingTask forwards(options, words);
  const std::uint64_t fold = forwards.of(tasks::Stream::train).size(), passes = 12;
  std::vector<std::string> want;
  for (std::uint64_t i = 0; i < passes * fold; ++i) {
    want.push_back(text_of(forwards.instance(tasks::Stream::train, i)));
  }
  const HandwritingTask backwards(options, words);
  for (std::uint64_t i = passes * fold; i-- > 0;) {
    ASSERT_EQ(text_of(backwards.instance(tasks::Stream::train, i)), want[i]) << i;
  }
}

TEST(Handwriting, AFoldBeyondItsRangeIsRefused) {
  expect_error(ErrorCode::usage, "fold: '4294967296' is not a whole number from 0 to 4294967295",
               [] {
                 experiments::make_task("handwriting", {{"data", "x"}, {"fold", "4294967296"}});
               });
}

}  // namespace
}  // namespace fgnn::handwriting
