#include "fgnn/io/fgt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"
#include "tests/io/reading.h"

namespace fgnn::testing {
namespace {

using ::testing::ElementsAre;

FactorGraph read(const std::string& text) { return read_text(read_fgt, text); }

// The potential of the only factor over x[0] … x[3] (binary) and r (three states).
std::shared_ptr<const Potential> potential(const std::string& factor) {
  const FactorGraph g = read("fgnn 1 var x[4] 2 var r 3 factor " + factor);
  return g.shared_potential(g.potential_index(0));
}

TEST(Fgt, ReadsVariablesUnariesAndConstant) {
  const FactorGraph g = read(
      "fgnn 1  # comment\nvar x[3] 2\nvar rain 3 var y[2] each 2 4\n"
      "constant 0.5 constant -1\nunary x[1] 0.25 -inf unary x[1] 1 1\n");
  EXPECT_THAT(g.states(), ElementsAre(2u, 2u, 2u, 3u, 2u, 4u));
  EXPECT_EQ(g.name(1), "x[1]");
  EXPECT_EQ(g.name(3), "rain");
  EXPECT_EQ(g.name(5), "y[1]");
  EXPECT_EQ(g.constant(), -0.5);
  EXPECT_THAT(g.unary(1), ElementsAre(1.25, kForbidden));
  EXPECT_THAT(g.unary(3), ElementsAre(0, 0, 0));
}

TEST(Fgt, ScopesAreVariablesRangesAndWholeArrays) {
  const FactorGraph g = read(
      "fgnn 1 var x[5] 2 var b 2\n"
      "factor x[3] b x[0..1] : parity even\nfactor x : parity odd\nfactor x[2..2] : parity odd");
  EXPECT_THAT(g.scope(0), ElementsAre(3u, 5u, 0u, 1u));
  EXPECT_THAT(g.scope(1), ElementsAre(0u, 1u, 2u, 3u, 4u));
  EXPECT_THAT(g.scope(2), ElementsAre(2u));
}

TEST(Fgt, ReadsEveryKindOfPotential) {
  EXPECT_TRUE(
      potential("x[0] x[1] : table 0 .1 -inf 1")->equals(Table({2, 2}, {0, 0.1, kForbidden, 1})));
  EXPECT_TRUE(potential("x[0] r : sparse -inf 2  1 2 0.5  0 0 -1")
                  ->equals(Sparse({2, 3}, kForbidden, {1, 2, 0, 0}, {0.5, -1})));
  EXPECT_TRUE(potential("x[0] x[1] : low-rank 2 scale 3  0.5 1 1 1 1  0.25 1 -1 1 -2")
                  ->equals(LowRank({2, 2}, {0.5, 0.25}, {{1, 1, 1, -1}, {1, 1, 1, -2}}, 3)));
  EXPECT_TRUE(potential("x[0] x[1] : low-rank 1  1 1 1 1 1")
                  ->equals(LowRank({2, 2}, {1}, {{1, 1}, {1, 1}})));
  EXPECT_TRUE(potential("x[0] x[1] : max-rank-1 2  0 0 0 0  1 0 0 -inf")
                  ->equals(MaxRankOne({2, 2}, {{0, 0, 0, 0}, {1, 0, 0, kForbidden}})));
  EXPECT_TRUE(potential("x : parity even")->equals(Parity()));
  EXPECT_TRUE(potential("x : parity odd")->equals(Parity(true)));
  EXPECT_TRUE(potential("x : all-different")->equals(AllDifferent()));
}

TEST(Fgt, ReadsCountsAndTheirNamedForms) {
  EXPECT_TRUE(potential("x : at-most 2")->equals(Count::at_most(2)));
  EXPECT_TRUE(potential("x : at-least 2")->equals(Count::at_least(2)));
  EXPECT_TRUE(potential("x : exactly 2")->equals(Count::exactly(2)));
  EXPECT_TRUE(potential("x : exactly-one")->equals(Count::exactly_one()));
  EXPECT_TRUE(potential("r : at-most 2 of 0,2")->equals(Count::at_most(2, {{0, 2}})));
  EXPECT_TRUE(potential("x[0] r : exactly-one of-each 2  none 0, 2")
                  ->equals(Count::exactly_one({{}, {0, 2}})));
  EXPECT_TRUE(potential("x : count 2 0.5 -inf")->equals(Count({0.5, kForbidden})));
  EXPECT_TRUE(potential("x : count 1 1 beyond 2 of 0")->equals(Count({1}, 2, {{0}})));
  EXPECT_TRUE(potential("x : count 0 beyond 2")->equals(Count({}, 2)));
}

TEST(Fgt, SharedPotentialsStayShared) {
  const FactorGraph g = read(
      "fgnn 1 var x[9] 2\npotential budget : at-most 1\n"
      "potential pair over 2 2 : table 0 0 0 1\n"
      "factor x[0..2] : use budget factor x[3..8] : use budget\nfactor x[0] x[1] : use pair");
  EXPECT_EQ(g.num_potentials(), 2u);
  EXPECT_EQ(g.potential_index(0), g.potential_index(1));
}

TEST(Fgt, WritesWhatAHumanWouldWrite) {
  const std::string text =
      "fgnn 1\nvar x[8] 2\nvar y[2] each 2 3\nvar rain 3\nconstant 0.5\nunary x[0] 0.2 0.7\n"
      "factor x[0] x[1] : table 0 0.1 0.2 1\n"
      "factor x[0..7] : at-most 5\n"
      "factor y rain : exactly-one of-each 3 1 0,2 none\n";
  EXPECT_EQ(written(write_fgt, read(text)),
            "fgnn 1\nvar x[8] 2\nvar y[2] each 2 3\nvar rain 3\nconstant 0.5\nunary x[0] 0.2 0.7\n"
            "factor x[0] x[1] : table 0 0.1 0.2 1\n"
            "factor x[0..7] : at-most 5\n"
            "factor y[0] y[1] rain : exactly-one of-each 3 1 0,2 none\n");
  EXPECT_EQ(
      written(write_fgt,
              read("fgnn 1 var x[4] 2 potential b : parity odd potential unused : parity odd\n"
                   "factor x[2..3] : use b factor x : use b")),
      "fgnn 1\nvar x[4] 2\npotential p0 : parity odd\nfactor x[2] x[3] : use p0\n"
      "factor x[0..3] : use p0\n");
}

TEST(Fgt, LongStateSetsAreBrokenIntoTokens) {
  Count::Chosen chosen(1);
  for (State x = 0; x < 3000; x += 2) chosen[0].push_back(x);
  GraphBuilder b;
  b.factor({b.variable("v", 3000)}, Count::at_most(0, chosen));
  const FactorGraph g = std::move(b).build();
  EXPECT_TRUE(read(written(write_fgt, g)).potential(0).equals(g.potential(0)));
}

TEST(Fgt, EmptyArraysAndNegativeZerosSurvive) {
  GraphBuilder b;
  b.variables("none", 0, 2);
  const auto x = b.variables("x", 2, 2);
  b.factor(x, Count({-0.0, kForbidden}));
  b.factor(x, Count({kForbidden}, -0.0));
  const std::string text = written(write_fgt, std::move(b).build());
  EXPECT_EQ(text,
            "fgnn 1\nvar none[0] 1\nvar x[2] 2\nfactor x[0] x[1] : count 2 -0 -inf\n"
            "factor x[0] x[1] : count 1 -inf beyond -0\n");
  EXPECT_EQ(written(write_fgt, read(text)), text);
}

class Strange final : public Potential {
 public:
  std::string_view kind() const override { return "strange"; }
  std::string misfit(Shape) const override { return {}; }
  double score(std::span<const State>) const override { return 0; }
  bool equals(const Potential&) const override { return false; }
  std::size_t bytes() const override { return 0; }
};

TEST(Fgt, RefusesToWriteAKindOfTheUsersOwn) {
  GraphBuilder b;
  b.factor({b.variable("v", 2)}, Strange());
  const FactorGraph g = std::move(b).build();
  expect_error(ErrorCode::unsupported,
               "factor 0 (v): the text format has no word for potentials of kind strange",
               [&] { written(write_fgt, g); });
}

TEST(Fgt, MalformedFilesAreRefusedAtTheirPlace) {
  const std::string head = "fgnn 1\nvar x[4] 2 var r 3\n";
  expect_refused(
      {{"", "1:1: expected 'fgnn', found the end of the file"},
       {"MARKOV", "1:1: expected 'fgnn', found 'MARKOV'"},
       {"fgnn 2", "1:6: this program reads version 1 of the format"},
       {"fgnn 1 x", "1:8: expected var, constant, unary, factor or potential, found 'x'"},
       {"fgnn 1\nvar", "2:4: expected a name, found the end of the file"},
       {"fgnn 1\nvar x[", "2:5: expected a name such as rain or x[30], found 'x['"},
       {"fgnn 1\nvar x[0..3] 2", "2:5: expected a name such as rain or x[30]"},
       {"fgnn 1\nvar x[3..3] 2", "2:5: expected a name such as rain or x[30]"},
       {"fgnn 1\nvar x[3]] 2", "2:5: expected a name such as rain or x[30]"},
       {"fgnn 1\nvar 3x 2", "2:1: variable '3x': not a legal name"},
       {"fgnn 1\nvar x 0", "2:7: expected a number of states from 1 to 4294967295, found '0'"},
       {"fgnn 1\nvar x[2] each 2 factor", "2:17: expected a number of states, found 'factor'"},
       {"fgnn 1\nvar x 2\nvar x[2] 2", "3:1: variable 'x': declared twice"},
       {"fgnn 1\nconstant inf", "2:10: expected a number or -inf, found 'inf'"},
       {"fgnn 1\nconstant 1e308\nconstant 1e308", "3:1: constant: log-potential inf"},
       {head + "unary x 0 0", "3:7: there is no variable 'x'; declare it with var first"},
       {head + "unary x[4] 0 0", "3:7: there is no variable 'x[4]'"},
       {head + "unary r 0 0 factor", "3:13: expected a number or -inf, found 'factor'"},
       {head + "unary x[0] 1e308 0 unary x[0] 1e308 0", "3:20: x[0]: log-potential inf"},
       {head + "factor : parity even", "3:1: the factor has no variables; use constant"},
       {head + "factor : max-rank-1 4294967295", "3:1: the factor has no variables"},
       {head + "factor x[0]", "3:12: expected a variable or ':', found the end of the file"},
       {head + "factor s : parity even", "3:8: there is no variable 's'"},
       {head + "factor x: parity even",
        "3:8: there is no variable 'x:'; put a space before the colon"},
       {head + "factor r[0] : parity even", "3:8: there is no variable 'r[0]'"},
       {head + "factor x[1..4] : parity even", "3:8: there is no x[4]; the array has 4 elements"},
       {head + "factor x[3..1] : parity even", "3:8: 'x[3..1]' is a range that runs backwards"},
       {head + "factor x[1] x : parity even", "3:13: x[1] is in the scope twice"},
       {head + "var e[0] 2 factor e : parity even", "3:19: 'e' is an empty array"},
       {head + "factor r : parity even", "3:1: factor 0 (r): needs binary variables"},
       {head + "factor x : parity", "3:18: expected even or odd, found the end of the file"},
       {head + "factor x : parity evn", "3:19: expected even or odd, found 'evn'"},
       {head + "factor x : tabel 1", "3:12: 'tabel' is not a kind of potential; known are table, "},
       {head + "factor r : table 0 0 x", "3:22: expected a number or -inf, found 'x'"},
       {head + "factor r : table 0 0 0 0",
        "3:24: expected var, constant, unary, factor or potential, found '0'"},
       {head + "factor r : sparse 0 1 3 1", "3:23: expected a state from 0 to 2, found '3'"},
       {head + "factor r : sparse 0 2 1 1 1 1", "3:1: sparse: the joint state 1 is listed twice"},
       {head + "factor r : low-rank 1 1 1 1 -inf", "3:29: expected a number, found '-inf'"},
       {head + "factor r : at-most -1", "3:20: expected a count, found '-1'"},
       {head + "factor r : at-most 1 of", "3:24: expected states such as 0,2, found the end"},
       {head + "factor r : at-most 1 of a", "3:25: expected states such as 0,2, found 'a'"},
       {head + "factor r : at-most 1 of 0;1", "3:25: expected states such as 0,2, found '0;1'"},
       {head + "factor r : at-most 1 of ,1", "3:25: expected states such as 0,2, found ',1'"},
       {head + "factor r : at-most 1 of 3",
        "3:1: factor 0 (r): chooses state 3 of position 0, which has 3 states"},
       {head + "factor r : at-most 1 of-each 2 0 0",
        "3:1: factor 0 (r): chooses states for 2 variables, the scope has 1"},
       {head + "factor r : use p", "3:16: there is no potential 'p'; declare it with potential"},
       {head + "potential : parity even", "3:11: expected a name, found ':'"},
       {head + "potential p parity even", "3:13: expected ':', found 'parity'"},
       {head + "potential p : parity odd potential p : parity odd",
        "3:36: there is already a potential 'p'"},
       {head + "potential p : table 0 0", "3:15: table needs to know the numbers of states; write"},
       {head + "potential p over : table 0", "3:18: expected a number of states, found ':'"},
       {head + "potential p over 2 2 : table 0 0 0 0 factor r : use p",
        "3:38: factor 0 (r): is for a shape of 2 x 2, the scope has 3"}},
      read_fgt);
}

TEST(Fgt, FewBytesCannotAskForGigabytes) {
  const auto refused = [](const std::string& text, const std::string& why) {
    expect_error(ErrorCode::too_large, why, [&] { read("fgnn 1\n" + text); });
  };
  refused("var x[16777217] 1", "file:2:17: more than 16777216 variables in all");
  refused("var x[16777216] 1 var y 1", "file:2:25: more than 16777216 variables in all");
  refused("var x[18446744073709551615] 2", "more than 16777216 variables in all");
  refused("var x[3] each 4294967295", "more than 67108864 states in all");
  refused("var x 4294967295", "more than 67108864 states in all");
  refused("var x[2] 2 factor x : at-most 4294967295",
          "file:2:31: the file stands for far more than it lists");
  refused("var x[9000000] 1 factor x : all-different factor x : all-different",
          "file:2:50: the file stands for far more than it lists");
}

TEST(Fgt, TheLimitsCanBeSet) {
  std::istringstream in("fgnn 1 var x[5] 2");
  expect_error(ErrorCode::too_large, "more than 4 variables in all",
               [&] { read_fgt(in, "file", {.variables = 4}); });
}

}  // namespace
}  // namespace fgnn::testing
