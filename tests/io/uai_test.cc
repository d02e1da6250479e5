#include "fgnn/io/uai.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"
#include "tests/io/reading.h"
#include "tests/reference/warnings.h"

namespace fgnn::testing {
namespace {

using ::testing::ElementsAre;

FactorGraph read(const std::string& text) { return read_text(read_uai, text); }

TEST(Uai, ReadsTheExampleOfTheFormat) {
  const FactorGraph g = read(
      "MARKOV\n3\n2 2 3\n2\n2 0 1\n3 0 1 2\n\n4\n 4.000 2.400\n 1.000 0.000\n\n"
      "12\n 2.25 3.25 3.75\n 0 0 10\n 1.875 4 3.333\n 2 2 3.4\n");
  EXPECT_THAT(g.states(), ElementsAre(2u, 2u, 3u));
  EXPECT_EQ(g.name(2), "x[2]");
  EXPECT_THAT(g.scope(1), ElementsAre(0u, 1u, 2u));
  EXPECT_DOUBLE_EQ(g.score(std::vector<State>{1, 0, 2}), std::log(1.0) + std::log(3.333));
  EXPECT_EQ(g.score(std::vector<State>{1, 1, 0}), kForbidden);
}

TEST(Uai, OneVariableIsAUnaryAndNoVariableAConstant) {
  const FactorGraph g = read("BAYES 1 2 3 1 0 0 1 0 2 0.25 0.75 1 2.5 2 2 0");
  EXPECT_EQ(g.num_factors(), 0u);
  EXPECT_DOUBLE_EQ(g.constant(), std::log(2.5));
  EXPECT_DOUBLE_EQ(g.unary(0)[0], std::log(0.25) + std::log(2));
  EXPECT_EQ(g.unary(0)[1], kForbidden);
}

TEST(Uai, EqualTablesAreShared) {
  const FactorGraph g = read("MARKOV 3 2 2 2 3 2 0 1 2 1 2 2 2 0 4 1 2 3 4 4 1 2 3 4 4 1 2 3 5");
  EXPECT_EQ(g.num_factors(), 3u);
  EXPECT_EQ(g.num_potentials(), 2u);
  EXPECT_EQ(g.potential_index(0), g.potential_index(1));
}

TEST(Uai, ReadsAGraphWithoutAnything) {
  EXPECT_EQ(read("MARKOV 0 0").num_variables(), 0u);
  EXPECT_EQ(read(written(write_uai, FactorGraph())).num_variables(), 0u);
}

TEST(Uai, MalformedFilesAreRefusedAtTheirPlace) {
  expect_refused(
      {{"", "1:1: expected MARKOV or BAYES, found the end of the file"},
       {"MARKOFF", "1:1: expected MARKOV or BAYES, found 'MARKOFF'"},
       {"MARKOV", "1:7: expected a number of variables, found the end of the file"},
       {"MARKOV\n-1", "2:1: expected a number of variables, found '-1'"},
       {"MARKOV\n2\n2", "3:2: expected a number of states, found the end of the file"},
       {"MARKOV\n2\n2 0", "3:3: expected a number of states from 1 to 4294967295, found '0'"},
       {"MARKOV\n1\n2\n", "4:1: expected a number of factors, found the end of the file"},
       {"MARKOV\n1\n2\n1\n2 0 0", "5:1: expected the size of a scope from 0 to 1, found '2'"},
       {"MARKOV\n2\n2 2\n1\n2 0 2", "5:5: expected a variable from 0 to 1, found '2'"},
       {"MARKOV\n2\n2 2\n1\n2 1 1", "5:5: variable 1 is in a scope twice"},
       {"MARKOV\n2\n2 3\n1\n2 0 1\n5", "6:1: a table of 5 entries on a scope of 2 x 3 states"},
       {"MARKOV\n0\n1\n0\n2", "5:1: a table of 2 entries on a scope of no variables"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1", "7:2: expected a number, found the end of the file"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1 -1", "7:3: -1 is negative"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1 nan", "7:3: expected a number, found 'nan'"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1 inf", "7:3: expected a number, found 'inf'"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1 1e999", "7:3: '1e999' is outside the range of a double"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1 1 1", "7:5: '1' after the last table"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1 1\n0.5", "8:1: '0.5' after the last table"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1 1\n1 0 x", "8:5: 'x' after the last table"},
       {"MARKOV\n1\n2\n1\n1 0\n2\n1 1\n7", "8:1: expected a variable from 0 to 1, found '7'"}},
      read_uai);
}

TEST(Uai, AListOfQueriesBehindTheTablesIsPassedOver) {
  const std::string model = "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2 3 4\n";
  const Warnings warnings;
  for (const char* queries : {"2 0 1\n", "\nQUERY\n1 1", "1 0\n1 1\n"}) {
    const FactorGraph graph = read(model + queries);
    EXPECT_EQ(graph.num_factors(), 1u);
    ASSERT_EQ(warnings.lines().size(), 1u) << queries;
    EXPECT_NE(warnings.lines()[0].find("after the last table are ignored"), std::string::npos);
    warnings.lines().clear();
  }
  read(model);
  EXPECT_TRUE(warnings.lines().empty());
}

TEST(Uai, FewBytesCannotAskForGigabytes) {
  expect_error(ErrorCode::too_large, "file:1:10: more than 67108864 states in all",
               [] { read("MARKOV 1 4294967295 0"); });
  expect_error(ErrorCode::format, "expected a number, found the end of the file",
               [] { read("MARKOV 4 60000 60000 60000 60000 1 4 0 1 2 3 12960000000000000000 1"); });
}

TEST(Uai, WritesUnariesConstantAndExpandedFactors) {
  GraphBuilder b;
  const auto x = b.variables("bit", 3, 2);
  b.unary(x[1], {0, std::log(2)});
  b.constant(std::log(0.5));
  b.factor({x[2], x[0]}, Parity());
  EXPECT_EQ(written(write_uai, std::move(b).build()),
            "MARKOV\n3\n2 2 2\n3\n0\n1 1\n2 2 0\n\n1\n0.5\n\n2\n1 2\n\n4\n1 0\n0 1\n");
}

TEST(Uai, DecimalsAreWrittenAsTheyWereRead) {
  std::string text = "MARKOV\n1\n1600\n1\n1 0\n\n1600";
  for (int i = 1; i <= 1000; ++i) text += fmt::format("{}{}", i == 1 ? "\n" : " ", i / 1000.0);
  for (int i = -300; i < 300; ++i) text += fmt::format(" 1.23456789012e{:+03}", i);
  text += "\n";
  const std::string once = written(write_uai, read(text));
  EXPECT_EQ(once.substr(0, 4000), text.substr(0, 4000));
  EXPECT_EQ(written(write_uai, read(once)), once);
  for (const char* digits : {" 1.23456789012e-300", " 1.23456789012e+30", " 0.123456789012 "}) {
    EXPECT_NE(once.find(digits), std::string::npos) << digits;
  }
}

TEST(Uai, RefusesToWriteWhatATableCannotHold) {
  GraphBuilder b;
  const auto x = b.variables("x", 30, 2);
  b.factor(x, Count::at_most(5));
  const FactorGraph wide = std::move(b).build();
  expect_error(ErrorCode::unsupported,
               "factor 0 (x[0], x[1], x[2], x[3], x[4], x[5], … 30 in all): as a table this count "
               "factor would have more than 16777216 entries; write a .fgt file",
               [&] { written(write_uai, wide); });
}

TEST(Uai, RefusesToWriteValuesThatLeaveTheRangeOfADouble) {
  for (const double value : {709.5, -708.5, 1e300}) {
    GraphBuilder b;
    const auto x = b.variables("x", 2, 2);
    b.factor({x[0], x[1]}, Table({2, 2}, {0, 0, 0, value}));
    const FactorGraph g = std::move(b).build();
    expect_error(ErrorCode::unsupported, "factor 0 (x[0], x[1]): exp(",
                 [&] { written(write_uai, g); });
  }
  GraphBuilder b;
  b.unary(b.variable("rain", 2), {0, -1000});
  const FactorGraph g = std::move(b).build();
  expect_error(ErrorCode::unsupported, "rain: exp(-1000)", [&] { written(write_uai, g); });
}

TEST(Uai, NamesTheFactorWhoseLowRankSumIsNegative) {
  GraphBuilder b;
  const auto x = b.variables("x", 2, 2);
  b.factor({x[0], x[1]}, LowRank({2, 2}, {-1}, {{1, 1}, {1, 1}}));
  const FactorGraph g = std::move(b).build();
  expect_error(ErrorCode::model, "factor 0 (x[0], x[1]): low-rank: the potential of state 0 0",
               [&] { written(write_uai, g); });
}

}  // namespace
}  // namespace fgnn::testing
