#include "fgnn/experiments/synthetic/contest.h"

#include <gtest/gtest.h>

#include "fgnn/experiments/synthetic/entrants.h"
#include "tests/reference/scratch.h"

namespace fgnn::synthetic {
namespace {

SyntheticTaskOptions d3() { return {}; }

Problems test_set() {
  return [](std::uint64_t i) { return synthetic_instance({}, i); };
}

// Answers by a rule, in no time.
Entrant rule(const std::function<std::vector<State>(const Problem&)>& answer) {
  return {"rule", "",
          [answer] {
            return [answer](std::span<const Problem> problems) {
              std::vector<Answer> answers;
              for (const Problem& p : problems) answers.push_back({answer(p), 0});
              return answers;
            };
          },
          ""};
}

ContestOptions of(std::uint64_t count, int threads = 1) {
  ContestOptions options;
  options.count = count;
  options.batch = 4;
  options.threads = threads;
  return options;
}

TEST(Contest, TheExactMapIsFullMarks) {
  const auto standing = contest(test_set(), {exact_search()}, of(10))[0];
  EXPECT_EQ(standing.agreement.graphs, 10);
  EXPECT_EQ(standing.agreement.accuracy(), 1);
  EXPECT_EQ(standing.exact.value(), 100);
  EXPECT_EQ(standing.feasible.value(), 100);
  EXPECT_EQ(standing.score_gap.value(), 0);
  EXPECT_GT(*standing.left_open.value(), 0) << "AD3 does not prove these";
  EXPECT_GT(*standing.microseconds.value(), 0);
}

TEST(Contest, AForbiddenAnswerHasNoScore) {
  const auto all_on = rule([](const Problem& p) { return std::vector<State>(p.best.size(), 1); });
  const auto all_off = rule([](const Problem& p) { return std::vector<State>(p.best.size(), 0); });
  const auto standings = contest(test_set(), {all_on, all_off}, of(10));
  EXPECT_EQ(standings[0].feasible.value(), 0);
  EXPECT_EQ(standings[0].exact.value(), 0);
  EXPECT_EQ(standings[0].score_gap.value(), std::nullopt);
  EXPECT_EQ(standings[1].feasible.value(), 100);
  EXPECT_GT(*standings[1].score_gap.value(), 1);
  EXPECT_NEAR(standings[0].agreement.accuracy() + standings[1].agreement.accuracy(), 1, 1e-12);
}

TEST(Contest, ThreadsAndBatchesChangeNothing) {
  const std::vector<Entrant> entrants{classical("AD3", "ad3:rounding=argmax"),
                                      untrained("FGNN", "fgnn-8", d3())};
  const auto one = contest(test_set(), entrants, of(13)),
             two = contest(test_set(), entrants, of(13, 2));
  for (std::size_t e = 0; e < entrants.size(); ++e) {
    EXPECT_EQ(one[e].agreement.graphs, 13);
    EXPECT_EQ(one[e].agreement.correct, two[e].agreement.correct);
    EXPECT_EQ(one[e].score_gap.value(), two[e].score_gap.value());
  }
}

TEST(Contest, NobodyAnswersForAnEntrantWithoutWeights) {
  const testing::Scratch scratch;
  const Entrant missing = trained("FGNN", scratch.path(), "d3", "--dataset D3", d3());
  EXPECT_NE(missing.note.find("fgnn train synthetic --dataset D3"), std::string::npos);
  const auto standing = contest(test_set(), {missing}, of(4))[0];
  EXPECT_EQ(standing.agreement.graphs, 0);
  EXPECT_EQ(standing.microseconds.value(), std::nullopt);
}

TEST(Entrants, RepairedNetworksNeverBreakABudget) {
  network::Description d = network::describe("fgnn-8");
  d.schema = SyntheticTask(d3()).schema();
  const network::Model model(d, 0);
  const auto standings = contest(
      test_set(), {network("", "", model, d3()), network("", "", model, d3(), /*repaired=*/true)},
      of(20));
  EXPECT_LT(*standings[0].feasible.value(), 100);
  EXPECT_EQ(standings[1].feasible.value(), 100);
}

// Lengths and shapes may differ within a batch.
TEST(Entrants, NetworksTakeBatchesOfAnyShapes) {
  const Problems lengths = [](std::uint64_t i) {
    SyntheticOptions options;
    options.length = 15 + i;
    return synthetic_instance(options, i);
  };
  const auto standing = contest(lengths, {untrained("FGNN", "fgnn-8", d3())}, of(6))[0];
  EXPECT_EQ(standing.agreement.rows, 15 + 16 + 17 + 18 + 19 + 20);
}

TEST(Entrants, Toulbar2AgreesWhereItIsInstalled) {
  const Entrant entrant = toulbar2(5);
  if (!entrant.solver) GTEST_SKIP() << entrant.note;
  const Problems small = [](std::uint64_t i) {
    SyntheticOptions options;
    options.dataset = "D5";
    options.side = 4;
    return synthetic_instance(options, i);
  };
  const auto standing = contest(small, {entrant}, of(3))[0];
  EXPECT_EQ(standing.exact.value(), 100);
}

}  // namespace
}  // namespace fgnn::synthetic
