#include "fgnn/codes/code_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/codes/construct.h"
#include "fgnn/io/qc.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_code.h"
#include "tests/reference/scratch.h"

namespace fgnn::codes {
namespace {

using testing::expect_error;

TEST(CodeFiles, SurviveEveryFormat) {
  const testing::Scratch scratch;
  const BaseMatrix base{2, 3, 4, {0, 1, -1, 3, -1, 2}};
  const SparseParityMatrix matrix = expand(base);
  for (const char* name : {"a.alist", "a.qc", "a.fgt"}) {
    write_code(matrix, scratch.path() / name, {.block_size = 4});
    EXPECT_EQ(read_code(scratch.path() / name), matrix) << name;
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

}  // namespace
}  // namespace fgnn::codes
