#include "fgnn/codes/analyse.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <set>

#include "fgnn/codes/construct.h"
#include "fgnn/codes/encoder.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_code.h"

namespace fgnn::codes {
namespace {

// Cycles by length, each found by walking along it from every column.
std::map<std::uint32_t, std::uint64_t> all_cycles(const SparseParityMatrix& m,
                                                  std::uint32_t longest) {
  std::map<std::uint32_t, std::uint64_t> walks;
  std::set<std::uint32_t> columns, rows;
  std::function<void(std::uint32_t, std::uint32_t)> walk = [&](std::uint32_t start,
                                                               std::uint32_t at) {
    for (std::uint32_t r : m.column(at)) {
      if (rows.contains(r)) continue;
      rows.insert(r);
      for (std::uint32_t c : m.row(r)) {
        const auto length = static_cast<std::uint32_t>(2 * rows.size());
        if (c == start && rows.size() > 1) ++walks[length];
        if (columns.contains(c) || length >= longest) continue;
        columns.insert(c);
        walk(start, c);
        columns.erase(c);
      }
      rows.erase(r);
    }
  };
  for (std::uint32_t c = 0; c < m.num_columns(); ++c) {
    columns = {c};
    walk(c, c);
  }
  // A cycle of length l is found from l / 2 columns in two directions.
  for (auto& [length, count] : walks) count /= length;
  return walks;
}

TEST(Cycles, GirthAndCountsEqualThoseOfAllWalks) {
  Rng rng(4);
  for (int trial = 0; trial < 40; ++trial) {
    const SparseParityMatrix m = testing::random_matrix(rng, 6, 9, 2 + trial % 5);
    const auto expected = all_cycles(m, 12);
    const std::uint32_t found = girth(m);
    EXPECT_EQ(found, expected.empty() ? 0 : expected.begin()->first);
    for (const auto& [length, count] : short_cycles(m, found)) {
      const auto known = expected.find(length);
      EXPECT_EQ(count, known == expected.end() ? 0 : known->second) << length;
    }
  }
}

TEST(Analysis, EndsWithItsTime) {
  Rng rng(9);
  const SparseParityMatrix m = testing::random_matrix(rng, 20, 40, 3);
  const std::uint32_t length = girth(m);
  const Budget late("code", Budget::kNoLimit, Deadline(0));
  testing::expect_error(ErrorCode::time_limit, "code", [&] { girth(m, late); });
  testing::expect_error(ErrorCode::time_limit, "code", [&] { short_cycles(m, length, 8, late); });
  testing::expect_error(ErrorCode::time_limit, "code", [&] { low_weight_words(m, 0, late); });
}

TEST(Cycles, PegHasNoShortOnes) {
  EXPECT_GE(girth(progressive_edge_growth({.length = 504, .checks = 252, .seed = 1})), 8u);
  EXPECT_EQ(girth(progressive_edge_growth({.length = 2000, .checks = 1000, .girth = 6})), 6u);
}

TEST(LowWeight, FindsTheWordsOfSmallCodes) {
  const LowWeightWords hamming = low_weight_words(testing::hamming());
  EXPECT_EQ(hamming.least, 3u);
  EXPECT_EQ(hamming.by_weight, (std::map<std::uint32_t, std::uint64_t>{{3, 7}, {4, 7}}));
  Rng rng(5);
  for (int trial = 0; trial < 20; ++trial) {
    const SparseParityMatrix m = testing::random_matrix(rng, 6, 12);
    std::map<std::uint32_t, std::uint64_t> expected;
    std::vector<std::uint8_t> word(12);
    for (std::uint32_t x = 1; x < 1u << 12; ++x) {
      for (std::uint32_t c = 0; c < 12; ++c) word[c] = x >> c & 1;
      if (satisfies(m, word)) ++expected[static_cast<std::uint32_t>(std::popcount(x))];
    }
    const LowWeightWords found = low_weight_words(m);
    EXPECT_EQ(found.least, expected.empty() ? 0 : expected.begin()->first);
    if (found.least > 0) {
      EXPECT_EQ(found.by_weight.at(found.least), expected.at(found.least));
    }
  }
}

}  // namespace
}  // namespace fgnn::codes
