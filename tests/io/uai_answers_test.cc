#include "fgnn/io/uai_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "tests/io/reading.h"
#include "tests/reference/random_graph.h"
#include "tests/reference/warnings.h"

namespace fgnn::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

FactorGraph three() {
  GraphBuilder b;
  b.variables("x", std::vector<State>{2, 3, 4});
  return std::move(b).build();
}

std::vector<std::pair<VariableId, State>> observed(const std::string& text) {
  std::istringstream in(text);
  return read_evidence(in, "file", three()).hard();
}

TEST(UaiEvidence, NothingAndZeroMeanNone) {
  for (const char* text : {"", "\n", "0", "0\n", "1\n0\n"}) EXPECT_THAT(observed(text), IsEmpty());
}

TEST(UaiEvidence, ReadsPairsOfVariableAndState) {
  EXPECT_THAT(observed("2 2 3 0 1"), ElementsAre(Pair(2, 3), Pair(0, 1)));
  EXPECT_THAT(observed("1\n1 2\n"), ElementsAre(Pair(1, 2)));
}

TEST(UaiEvidence, UnderstandsTheOlderLayoutWithANumberOfSamples) {
  EXPECT_THAT(observed("1\n2 2 3 0 1"), ElementsAre(Pair(2, 3), Pair(0, 1)));
  EXPECT_THAT(observed("1\n1 0 1"), ElementsAre(Pair(0, 1)));
}

TEST(UaiEvidence, NoObservationsAreNoneWhateverFollows) {
  const Warnings warnings;
  EXPECT_TRUE(observed("0\n2 0").empty());
  ASSERT_EQ(warnings.lines().size(), 1u);
  EXPECT_EQ(warnings.lines()[0],
            "file:1:1: declares no observations, the 2 numbers after it are ignored");
  EXPECT_TRUE(observed("0").empty());
  EXPECT_TRUE(observed("1 0").empty());
  EXPECT_EQ(warnings.lines().size(), 1u);
}

TEST(UaiEvidence, MalformedFilesAreRefusedAtTheirPlace) {
  const FactorGraph graph = three();
  const auto read = [&](std::istream& in, const std::string& file) {
    return read_evidence(in, file, graph);
  };
  expect_refused({{"2 0 1", "1:1: declares 2 observations, 2 numbers follow"},
                  {"2\n1 0 1 1 1 1", "1:1: declares 2 observations, 6 numbers follow"},
                  {"0\nx", "2:1: expected a number, found 'x'"},
                  {"1 x 1", "1:3: expected a number, found 'x'"},
                  {"1 3 0", "1:3: there is no variable 3, the graph has 3"},
                  {"1\n1\n1 3", "3:3: state 3 of variable 1, which has 3"},
                  {"2 0 1 0 1", "1:7: variable 0 is observed twice"}},
                 read);
}

TEST(UaiAnswers, MarginalsSurviveWritingAndReading) {
  Rng rng(3);
  for (int trial = 0; trial < 20; ++trial) {
    const FactorGraph graph = random_graph(rng);
    const Marginals marginals = enumerate_marginals(graph).marginals;
    const Marginals again = read_text(read_mar, written(write_mar, marginals), graph);
    EXPECT_TRUE(std::ranges::equal(again.values(), marginals.values()));
  }
}

TEST(UaiAnswers, AreWrittenAsInTheCompetition) {
  Marginals marginals(three());
  marginals[0][0] = 0.25;
  marginals[0][1] = 0.75;
  marginals[1][2] = marginals[2][3] = 1;
  EXPECT_EQ(written(write_mar, marginals), "MAR\n3 2 0.25 0.75 3 0 0 1 4 0 0 0 1\n");
  EXPECT_EQ(
      written([](auto& out, const auto& x) { write_map(out, x); }, std::vector<State>{1, 0, 3}),
      "MAP\n3 1 0 3\n");
  EXPECT_EQ(written(write_pr, std::log(1000)), "PR\n2.9999999999999996\n");
  EXPECT_EQ(written(write_pr, kForbidden), "PR\n-inf\n");
}

TEST(UaiAnswers, MapAndPartitionFunctionAreReadBack) {
  EXPECT_THAT(read_text(read_map, "MAP\n3 1 0 3\n", three()), ElementsAre(1, 0, 3));
  EXPECT_THAT(read_text(read_map, "MPE\n3 1 0 3", three()), ElementsAre(1, 0, 3));
  EXPECT_DOUBLE_EQ(read_text(read_pr, "PR\n2\n"), std::log(100));
  EXPECT_EQ(read_text(read_pr, "PR\n-inf\n"), kForbidden);
}

TEST(UaiAnswers, MalformedFilesAreRefusedAtTheirPlace) {
  const FactorGraph graph = three();
  expect_refused({{"", "1:1: expected 'MAR', found the end of the file"},
                  {"MAP", "1:1: expected 'MAR', found 'MAP'"},
                  {"MAR\n2", "2:1: 2 variables, the graph has 3"},
                  {"MAR\n3 3", "2:3: 3 states of variable 0, which has 2"},
                  {"MAR\n3 2 1 x", "2:7: expected a probability, found 'x'"},
                  {"MAR\n3 2 1 -1", "2:7: probability -1 is negative"},
                  {"MAR\n3 2 0 1 3 0 0 1 4 0 0 0 1 9", "2:27: '9' after the last marginal"}},
                 read_mar, graph);
  expect_refused({{"PR\n1", "1:1: expected 'MAP', found 'PR'"},
                  {"MAP\n3 0 3 0", "2:5: expected a state from 0 to 2, found '3'"},
                  {"MAP\n3 0 0 0 0", "2:9: '0' after the last state"}},
                 read_map, graph);
  expect_refused({{"PR\n", "2:1: expected a number or -inf, found the end of the file"},
                  {"PR\ninf", "2:1: expected a number or -inf, found 'inf'"},
                  {"PR\n1 2", "2:3: '2' after the value"}},
                 read_pr);
}

}  // namespace
}  // namespace fgnn::testing
