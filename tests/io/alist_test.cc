#include "fgnn/io/alist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"
#include "tests/io/reading.h"

namespace fgnn::testing {
namespace {

using ::testing::ElementsAre;

const char* const kPadded = "4 2\n2 3\n1 2 1 1\n3 2\n1 0\n1 2\n1 0\n2 0\n1 2 3\n2 4 0\n";
const char* const kUnpadded = "4 2\n2 3\n1 2 1 1\n3 2\n1\n1 2\n1\n2\n1 2 3\n2 4\n";

std::vector<std::uint32_t> list(std::span<const std::uint32_t> entries) {
  return {entries.begin(), entries.end()};
}

TEST(Alist, ReadsRowsAndColumns) {
  const SparseParityMatrix m = read_text(read_alist, kPadded);
  EXPECT_EQ(m.num_columns(), 4u);
  EXPECT_EQ(m.num_rows(), 2u);
  EXPECT_EQ(m.num_ones(), 5u);
  EXPECT_THAT(list(m.row(0)), ElementsAre(0, 1, 2));
  EXPECT_THAT(list(m.row(1)), ElementsAre(1, 3));
  EXPECT_THAT(list(m.column(1)), ElementsAre(0, 1));
}

TEST(Alist, PaddingCommentsTabsAndLineEndsDoNotMatter) {
  const SparseParityMatrix m = read_text(read_alist, kPadded);
  EXPECT_EQ(read_text(read_alist, kUnpadded), m);
  EXPECT_EQ(read_text(read_alist, "# from somewhere\n" + std::string(kUnpadded)), m);
  EXPECT_EQ(
      read_text(read_alist, "4\t2\r\n2 3\r\n1 2 1 1\r\n3 2\r\n1\r\n2 1\r\n1\r\n2\r\n3 2 1\r\n2 4"),
      m);
}

TEST(Alist, WritesPaddedByDefault) {
  const SparseParityMatrix m = read_text(read_alist, kPadded);
  EXPECT_EQ(written(write_alist, m, true), kPadded);
  EXPECT_EQ(written(write_alist, m, false), kUnpadded);
}

TEST(Alist, RandomMatricesSurviveWritingAndReading) {
  Rng rng(1);
  for (int trial = 0; trial < 200; ++trial) {
    const auto columns = static_cast<std::uint32_t>(rng.below(12));
    std::vector<std::vector<std::uint32_t>> rows(rng.below(8));
    for (auto& row : rows) {
      for (std::uint32_t c = columns; c-- > 0;) {
        if (rng.below(3) == 0) row.push_back(c);
      }
    }
    const SparseParityMatrix m(columns, rows);
    EXPECT_EQ(read_text(read_alist, written(write_alist, m, true)), m);
    EXPECT_EQ(read_text(read_alist, written(write_alist, m, false)), m);
  }
}

TEST(Alist, TheMatrixRefusesColumnsThatAreNotThereOrRepeated) {
  const std::vector<std::vector<std::uint32_t>> repeated{{0, 1}, {1, 0, 1}}, beyond{{2}};
  expect_error(ErrorCode::model, "row 1: lists column 1 twice",
               [&] { SparseParityMatrix(2, repeated); });
  expect_error(ErrorCode::model, "row 0: lists column 2, there are 2",
               [&] { SparseParityMatrix(2, beyond); });
}

TEST(Alist, MalformedFilesAreRefusedAtTheirPlace) {
  expect_refused(
      {{"", "1:1: expected a number of columns, found the end of the file"},
       {"2", "1:2: expected a number of rows, found the end of the file"},
       {"2 1\n2 2", "2:1: expected the biggest weight of a column from 0 to 1, found '2'"},
       {"2 1\n1 3", "2:3: expected the biggest weight of a row from 0 to 2, found '3'"},
       {"2 1\n1 2\n1 2", "3:3: expected the weight of a column from 0 to 1, found '2'"},
       {"2 1\n1 2\n1 1\n1", "4:1: the rows have 1 ones, the columns 2"},
       {"2 1\n1 2\n1 1\n2\n1\n2", "6:1: expected a row from 1 to 1, found '2'"},
       {"2 1\n1 2\n1 1\n2\n1\n0", "6:1: expected a row from 1 to 1, found '0'"},
       {"1 2\n2 1\n2\n1 1\n1 1", "5:3: row 1 is listed twice"},
       {"2 1\n1 2\n1 1\n2\n1\n1\n1 1", "7:3: column 1 is listed twice"},
       {"3 1\n1 2\n1 1 0\n2\n1\n1\n\n1 3",
        "8:3: row 1 lists column 3, which does not list the row"},
       {"2 1\n1 2\n1 1\n2\n1\n1\n1", "7:2: expected a column, found the end of the file"},
       {"2 1\n1 2\n1 1\n2\n1\n1\n1 2 0", "7:5: '0' after the last row"}},
      read_alist);
}

TEST(Alist, BecomesOneSharedParityCheckPerRow) {
  const SparseParityMatrix m = read_text(read_alist, kPadded);
  const FactorGraph g = parity_graph(m);
  EXPECT_EQ(g.num_variables(), 4u);
  EXPECT_EQ(g.num_factors(), 2u);
  EXPECT_EQ(g.num_potentials(), 1u);
  EXPECT_EQ(g.name(3), "x[3]");
  EXPECT_EQ(g.score(std::vector<State>{1, 1, 0, 1}), 0);
  EXPECT_EQ(g.score(std::vector<State>{1, 1, 0, 0}), kForbidden);
  EXPECT_EQ(parity_matrix(g), m);
}

TEST(Alist, ARowWithoutOnesIsLeftOut) {
  const SparseParityMatrix m = read_text(read_alist, "2 2\n1 2\n1 1\n0 2\n2\n2\n\n1 2\n");
  EXPECT_EQ(m.num_rows(), 2u);
  EXPECT_EQ(parity_graph(m).num_factors(), 1u);
}

TEST(Alist, RefusesGraphsThatAreMoreThanEvenChecks) {
  const auto refuse = [](const std::string& why, auto&& change) {
    GraphBuilder b;
    const auto x = b.variables("x", 3, 2);
    b.factor({x[0], x[1]}, Parity());
    change(b, x);
    const FactorGraph g = std::move(b).build();
    expect_error(ErrorCode::unsupported, why, [&] { parity_matrix(g); });
  };
  refuse("constant: is 0.5", [](auto& b, auto&) { b.constant(0.5); });
  refuse("x[1]: has a unary potential", [](auto& b, auto& x) { b.unary(x[1], {0, 1}); });
  refuse("rain: has 3 states", [](auto& b, auto&) { b.variable("rain", 3); });
  refuse("factor 1 (x[1], x[2]): is an odd parity check", [](auto& b, auto& x) {
    b.factor({x[1], x[2]}, Parity(true));
  });
  refuse("factor 1 (x[0], x[1], x[2]): is of kind count",
         [](auto& b, auto& x) { b.factor(x, Count::at_most(1)); });
}

}  // namespace
}  // namespace fgnn::testing
