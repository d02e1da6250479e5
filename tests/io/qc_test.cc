#include "fgnn/io/qc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/io/alist.h"
#include "tests/io/reading.h"
#include "tests/reference/data_folder.h"

namespace fgnn::testing {
namespace {

using ::testing::ElementsAre;

// Two rows of three blocks of size 3.
const char* const kSmall = "3 2 3\n0 1 -1\n2 -1 0\n";

TEST(Qc, AShiftTurnsTheIdentityToTheRight) {
  const BaseMatrix base = read_text(read_qc, kSmall);
  EXPECT_EQ(base.columns, 3u);
  EXPECT_EQ(base.rows, 2u);
  EXPECT_EQ(base.size, 3u);
  EXPECT_THAT(base.shifts, ElementsAre(0, 1, -1, 2, -1, 0));
  const SparseParityMatrix m = expand(base);
  EXPECT_EQ(m.num_columns(), 9u);
  EXPECT_EQ(m.num_rows(), 6u);
  EXPECT_THAT(m.row(0), ElementsAre(0, 4));  // identity; row 0 turned by one: column 1 of block 1
  EXPECT_THAT(m.row(2), ElementsAre(2, 3));  // … and row 2 turned round to column 0
  EXPECT_THAT(m.row(3), ElementsAre(2, 6));
}

TEST(Qc, SurvivesWritingAndFindingItsBlocks) {
  const BaseMatrix base = read_text(read_qc, kSmall);
  EXPECT_EQ(written(write_qc, base), kSmall);
  EXPECT_EQ(base_matrix(expand(base), 3), base);
  EXPECT_EQ(expand(base_matrix(expand(base), 1)), expand(base));
}

// As aff3ct's codes of the CCSDS have it.
TEST(Qc, AMarkPerColumnSaysWhatIsSent) {
  const std::string text = std::string(kSmall) + "\n1 0 1\n";
  const BaseMatrix base = read_text(read_qc, text);
  EXPECT_THAT(base.sent, ElementsAre(true, false, true));
  EXPECT_THAT(punctured_columns(base), ElementsAre(3, 4, 5));
  EXPECT_EQ(expand(base), expand(read_text(read_qc, kSmall)));
  EXPECT_EQ(written(write_qc, base), text);
  BaseMatrix again = base_matrix(expand(base), 3);
  puncture(again, punctured_columns(base));
  EXPECT_EQ(again, base);
  EXPECT_EQ(read_text(read_qc, std::string(kSmall) + "1 1 1"), read_text(read_qc, kSmall));
}

TEST(Qc, CommentsAndLinesDoNotMatter) {
  EXPECT_EQ(read_text(read_qc, "# a code\n3 2\t3 0 1 -1\r\n2 -1 0"), read_text(read_qc, kSmall));
}

TEST(Qc, RefusesMatricesThatAreNotMadeOfShifts) {
  const std::vector<std::vector<std::uint32_t>> rows{{0, 2}, {0, 3}};
  const SparseParityMatrix m(4, rows);
  expect_error(ErrorCode::unsupported, "row 1: is not made of shifted identities of size 2",
               [&] { base_matrix(m, 2); });
  expect_error(ErrorCode::unsupported, "blocks of size 3: do not fill 2 rows and 4 columns",
               [&] { base_matrix(m, 3); });
}

TEST(Qc, MalformedFilesAreRefusedAtTheirPlace) {
  expect_refused(
      {{"", "1:1: expected a number of columns, found the end of the file"},
       {"2 1 0", "1:5: expected the size of a block from 1 to 16777216, found '0'"},
       {"2 1 3\n0", "2:2: expected a shift or -1, found the end of the file"},
       {"2 1 3\n0 3", "2:3: expected a shift or -1 from 0 to 2, found '3'"},
       {"2 1 3\n0 -2", "2:3: expected a shift or -1, found '-2'"},
       {"2 1 3\n0 1\n1",
        "3:2: expected the end of the file, or per column 1 (sent) or 0 "
        "(punctured), found the end of the file"},
       {"2 1 3\n0 1\n1 2", "3:3: expected the end of the file, or per column 1 (sent) or 0"},
       {"2 1 3\n0 1\n0 0", "3:3: no column is sent"},
       {"2 1 3\n0 1\n1 0 1", "3:5: '1' after the marks of what is sent"}},
      read_qc);
}

TEST(Qc, AFewBytesDoNotTakeGigabytes) {
  expect_error(ErrorCode::too_large, "more than 16777216 variables",
               [] { read_text(read_qc, "4096 1 16777216\n0"); });
  expect_error(ErrorCode::too_large, "far more than it lists", [] {
    std::string text = "40 100 10000\n";
    for (int i = 0; i < 4000; ++i) text += "0 ";
    read_text(read_qc, text);
  });
}

TEST(QcData, FindsTheBlocksOfWimax) {
  FGNN_SKIP_WITHOUT_DATA("ldpc");
  const auto file = data_folder() / "ldpc" / "WIMAX_288_576.alist";
  std::ifstream in(file);
  const SparseParityMatrix m = read_alist(in, file.string());
  EXPECT_EQ(expand(base_matrix(m, 24)), m);
}

}  // namespace
}  // namespace fgnn::testing
