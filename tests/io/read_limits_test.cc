// Memory and time of reading: counted and looked at before anything is allocated.
#include "fgnn/core/read_limits.h"

#include <gtest/gtest.h>

#include <sstream>

#include "fgnn/io/alist.h"
#include "fgnn/io/fgt.h"
#include "fgnn/io/libdai.h"
#include "fgnn/io/qc.h"
#include "fgnn/io/uai.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

template <class Read>
void expect_too_large(Read read, const std::string& text, std::uint64_t max_bytes = 1 << 20) {
  SCOPED_TRACE(text.substr(0, 100));
  std::istringstream in(text);
  ReadLimits limits;
  limits.max_bytes = max_bytes;
  expect_error(ErrorCode::too_large, "or more, the limit is", [&] { read(in, "file", limits); });
}

TEST(ReadLimits, MemoryIsCountedBeforeItIsAllocated) {
  expect_too_large(read_fgt, "fgnn 1\nvar x[16777216] 2\nfactor x : parity even");
  expect_too_large(read_fgt, "fgnn 1\nvar x 60000000\n");
  expect_too_large(read_fgt, "fgnn 1\nvar x[100] 2\nfactor x : at-most 10000000");
  expect_too_large(read_fg, "1\n1\n0\n60000000\n0\n");
  expect_too_large(read_qc, "1 1 1000000\n0");
}

std::string many(int n, const std::string& text) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

TEST(ReadLimits, ListsAreCountedAsTheyAreRead) {
  const std::string head = "fgnn 1\nvar x[10] 2\nfactor x : ";
  expect_too_large(read_fgt, head + "table " + many(1024, "0 "), 1 << 12);
  expect_too_large(read_fgt, head + "low-rank 40 " + many(40, many(21, "1 ")), 1 << 12);
  expect_too_large(read_fgt, head + "max-rank-1 40 " + many(40, many(20, "1 ")), 1 << 12);
  expect_too_large(read_fgt, head + "sparse 0 500 " + many(500, many(10, "0 ") + "1 "), 1 << 12);
  expect_too_large(read_fgt, head + "count 1000 " + many(1000, "0 "), 1 << 12);
  expect_too_large(read_uai, "MARKOV 2 30 30 1 2 0 1 900 " + many(900, "1 "), 1 << 12);
  expect_too_large(read_fg, "1\n\n1\n0\n600\n500\n" + many(500, "0 1\n"), 1 << 12);
}

TEST(ReadLimits, ManyFactorsOnRangesAreCounted) {
  std::string text = "fgnn 1\nvar x[1000] 2\n";
  for (int i = 0; i < 200; ++i) text += "factor x : parity even\n";
  expect_too_large(read_fgt, text);
  std::istringstream in(text);
  EXPECT_EQ(read_fgt(in, "file").num_edges(), 200000u);
}

TEST(ReadLimits, ListsOfACodeAreCounted) {
  std::string text = "100000 1\n0 0\n";
  for (int i = 0; i < 100001; ++i) text += "0 ";
  expect_too_large(read_alist, text);
}

TEST(ReadLimits, EqualTablesAreCountedOnce) {
  std::string text = "MARKOV 2 100 100 50\n";
  for (int i = 0; i < 50; ++i) text += "2 0 1\n";
  std::string table = "10000";
  for (int i = 0; i < 10000; ++i) table += " 1";
  for (int i = 0; i < 50; ++i) text += table + "\n";
  std::istringstream in(text);
  ReadLimits limits;
  limits.max_bytes = 1 << 18;
  EXPECT_EQ(read_uai(in, "file", limits).num_factors(), 50u);
}

TEST(ReadLimits, TheClockIsLookedAtWhileReading) {
  const Deadline over(1e-9);
  ReadLimits limits;
  limits.deadline = &over;
  std::istringstream in("fgnn 1\nvar x 2\n");
  expect_error(ErrorCode::time_limit, "file:1:1: not read within",
               [&] { read_fgt(in, "file", limits); });
}

}  // namespace
}  // namespace fgnn
