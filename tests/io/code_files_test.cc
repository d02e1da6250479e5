#include "fgnn/io/code_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/codes/construct.h"
#include "fgnn/io/qc.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_code.h"
#include "tests/reference/scratch.h"
#include "tests/reference/warnings.h"

namespace fgnn {
namespace {

using testing::expect_error;

TEST(CodeFiles, SurviveEveryFormat) {
  const testing::Scratch scratch;
  const BaseMatrix base{2, 3, 4, {0, 1, -1, 3, -1, 2}, {}};
  const SparseParityMatrix matrix = expand(base);
  for (const char* name : {"a.alist", "a.qc", "a.fgt"}) {
    write_code(matrix, scratch.path() / name, {.block_size = 4});
    EXPECT_EQ(read_code(scratch.path() / name).checks, matrix) << name;
    EXPECT_TRUE(read_code(scratch.path() / name).punctured.empty()) << name;
  }
}

TEST(CodeFiles, SayWhatIsMissing) {
  const testing::Scratch scratch;
  expect_error(ErrorCode::usage, "needs the size of its blocks; write for example --block-size 24",
               [&] { write_code(testing::hamming(), scratch.path() / "a.qc"); });
  expect_error(ErrorCode::io, "nothing.alist",
               [&] { read_code(scratch.path() / "nothing.alist"); });
  std::ofstream(scratch.path() / "bad.alist") << "2 1\n1 2\n1 1\n1";
  expect_error(ErrorCode::format, "bad.alist:4:1: the rows have 1 ones, the columns 2",
               [&] { read_code(scratch.path() / "bad.alist"); });
}

TEST(CodeFiles, PuncturingIsKeptWhereTheFormatHoldsIt) {
  const testing::Scratch scratch;
  const testing::Warnings warnings;
  std::ofstream(scratch.path() / "p.qc") << "3 2 4\n\n0 1 -1\n3 -1 2\n\n1 0 1\n";
  const CodeFile read = read_code(scratch.path() / "p.qc");
  EXPECT_EQ(read.punctured, (std::vector<std::uint32_t>{4, 5, 6, 7}));
  const WriteCodeOptions options{.block_size = 4, .punctured = read.punctured};
  write_code(read.checks, scratch.path() / "again.qc", options);
  EXPECT_EQ(read_code(scratch.path() / "again.qc").punctured, read.punctured);
  EXPECT_EQ(read_code(scratch.path() / "again.qc").checks, read.checks);
  EXPECT_TRUE(warnings.lines().empty());
  write_code(read.checks, scratch.path() / "all.alist", options);
  EXPECT_TRUE(read_code(scratch.path() / "all.alist").punctured.empty());
  ASSERT_EQ(warnings.lines().size(), 1u);
  EXPECT_NE(warnings.lines()[0].find("all.alist: cannot say that some columns are not sent"),
            std::string::npos);
  const WriteCodeOptions part{.block_size = 4, .punctured = {4, 5}};
  expect_error(ErrorCode::unsupported, "are not sent or left out as a whole",
               [&] { write_code(read.checks, scratch.path() / "part.qc", part); });
}

}  // namespace
}  // namespace fgnn
