#include "fgnn/io/libdai.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"
#include "tests/io/reading.h"

namespace fgnn::testing {
namespace {

using ::testing::ElementsAre;

FactorGraph read(const std::string& text) { return read_text(read_fg, text); }

TEST(LibDai, TheFirstVariableVariesFastest) {
  const FactorGraph g = read("# comment\n1\n\n2\n0 1\n3 2\n# entries\n3\n0 1\n2 0.5\n4 7\n");
  EXPECT_THAT(g.states(), ElementsAre(3u, 2u));
  EXPECT_EQ(g.potential(0).kind(), "table");
  EXPECT_DOUBLE_EQ(g.score(std::vector<State>{0, 0}), 0);
  EXPECT_DOUBLE_EQ(g.score(std::vector<State>{2, 0}), std::log(0.5));
  EXPECT_DOUBLE_EQ(g.score(std::vector<State>{1, 1}), std::log(7));
  EXPECT_EQ(g.score(std::vector<State>{1, 0}), kForbidden);
}

TEST(LibDai, VariablesAreNumberedByLabel) {
  const FactorGraph g = read("2\n\n2\n7 3\n2 3\n1\n5 1\n\n1\n5\n2\n1\n0 1\n");
  EXPECT_THAT(g.states(), ElementsAre(3u, 2u, 2u));
  EXPECT_EQ(g.name(0), "x3");
  EXPECT_EQ(g.name(2), "x7");
  EXPECT_THAT(g.scope(0), ElementsAre(2u, 0u));
  EXPECT_DOUBLE_EQ(g.score(std::vector<State>{2, 0, 1}), 0);
  EXPECT_EQ(read("1 1 0 2 1 0 1").name(0), "x[0]");
}

TEST(LibDai, AFewEntriesOfALargeTableStaySparse) {
  const FactorGraph g = read("1\n\n4\n0 1 2 3\n60000 60000 60000 60000\n2\n60001 2\n0 3\n");
  EXPECT_EQ(g.potential(0).kind(), "sparse");
  EXPECT_DOUBLE_EQ(g.score(std::vector<State>{1, 1, 0, 0}), std::log(2));
  EXPECT_EQ(g.score(std::vector<State>{1, 1, 1, 0}), kForbidden);
  // and goes back as it came, however large its table
  EXPECT_EQ(written(write_fg, g), "1\n\n4\n0 1 2 3\n60000 60000 60000 60000\n2\n0 3\n60001 2\n");
}

TEST(LibDai, ABlockWithoutVariablesIsAConstant) {
  const FactorGraph g = read("1\n\n0\n\n\n1\n0 2.5\n");
  EXPECT_DOUBLE_EQ(g.constant(), std::log(2.5));
  EXPECT_DOUBLE_EQ(read(written(write_fg, g)).constant(), g.constant());
}

TEST(LibDai, TheConstantGoesIntoTheFirstUnaryAndLonelyVariablesSurvive) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 2);
  b.constant(std::log(2));
  b.factor({x[1], x[0]}, Table({2, 2}, {0, kForbidden, std::log(3), 0}));
  const FactorGraph g = std::move(b).build();
  EXPECT_EQ(written(write_fg, g),
            "3\n\n1\n0\n2\n2\n0 2\n1 2\n\n1\n2\n2\n2\n0 1\n1 1\n\n"
            "2\n1 0\n2 2\n3\n0 1\n1 3\n3 1\n");
  EXPECT_EQ(read(written(write_fg, g)).num_variables(), 3u);
}

TEST(LibDai, MalformedFilesAreRefusedAtTheirPlace) {
  expect_refused(
      {{"", "1:1: expected a number of factors, found the end of the file"},
       {"x", "1:1: expected a number of factors, found 'x'"},
       {"1\n\n", "3:1: expected a number of variables, found the end of the file"},
       {"1\n\n2\n0", "4:2: expected a label, found the end of the file"},
       {"1\n\n2\n0 0\n2 2\n0\n", "4:3: label 0 is in a factor twice"},
       {"1\n\n3\n5 0 5\n", "4:5: label 5 is in a factor twice"},
       {"1\n\n1\n0\n0\n", "5:1: expected a number of states from 1 to 4294967295, found '0'"},
       {"1\n\n1\n0\n2\n3\n", "6:1: expected a number of non-zero entries from 0 to 2, found '3'"},
       {"1\n\n1\n0\n2\n1\n2 1", "7:1: expected an index from 0 to 1, found '2'"},
       {"1\n\n1\n0\n2\n2\n1 1\n1 2\n", "8:1: index 1 is listed twice"},
       {"1\n\n1\n0\n3\n3\n2 1\n0 2\n2 1\n", "9:1: index 2 is listed twice"},
       {"1\n\n1\n0\n2\n1\n1 -3", "7:3: -3 is negative"},
       {"1\n\n1\n0\n2\n1\n1", "7:2: expected a number, found the end of the file"},
       {"2\n\n1\n0\n2\n0\n\n1\n0\n3\n0\n",
        "10:1: the variable with label 0 has 3 states here, 2 before"},
       {"1\n\n5\n0 1 2 3 4\n60000 60000 60000 60000 60000\n0\n",
        "5:25: the table would have 2^64 entries or more"},
       {"0\n1", "2:1: '1' after the last factor"}},
      read_fg);
}

TEST(LibDai, FewBytesCannotAskForGigabytes) {
  expect_error(ErrorCode::too_large, "file:1:7: more than 67108864 states in all",
               [] { read("1 1 0 4294967295 0"); });
}

TEST(LibDai, RefusesToWriteWhatATableCannotHold) {
  GraphBuilder b;
  const auto x = b.variables("x", 30, 2);
  b.factor(x, Parity());
  const FactorGraph wide = std::move(b).build();
  expect_error(ErrorCode::unsupported, "as a table this parity factor would have more than",
               [&] { written(write_fg, wide); });
}

}  // namespace
}  // namespace fgnn::testing
