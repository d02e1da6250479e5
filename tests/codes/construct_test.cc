#include "fgnn/codes/construct.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fgnn/codes/encoder.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_code.h"

namespace fgnn::codes {
namespace {

using testing::expect_error;

// Whether two columns share two rows.
bool has_four_cycle(const SparseParityMatrix& m) {
  for (std::uint32_t a = 0; a < m.num_columns(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      std::vector<std::uint32_t> both;
      std::ranges::set_intersection(m.column(a), m.column(b), std::back_inserter(both));
      if (both.size() > 1) return true;
    }
  }
  return false;
}

TEST(RandomRegular, HasTheWeightsAskedForAndFollowsItsSeed) {
  const RegularOptions options{.length = 60, .column_weight = 3, .row_weight = 6, .seed = 5};
  const SparseParityMatrix m = random_regular(options);
  EXPECT_EQ(m.num_rows(), 30u);
  for (std::uint32_t c = 0; c < 60; ++c) EXPECT_EQ(m.column(c).size(), 3u);
  for (std::uint32_t r = 0; r < 30; ++r) EXPECT_EQ(m.row(r).size(), 6u);
  EXPECT_EQ(random_regular(options), m);
  RegularOptions other = options;
  other.seed = 6;
  EXPECT_FALSE(random_regular(other) == m);
}

TEST(RandomRegular, RefusesWeightsThatDoNotFit) {
  expect_error(ErrorCode::usage, "10 columns of weight 3 do not fill rows of weight 4",
               [] { random_regular({.length = 10, .column_weight = 3, .row_weight = 4}); });
  expect_error(ErrorCode::usage, "larger than the matrix",
               [] { random_regular({.length = 4, .column_weight = 3, .row_weight = 6}); });
  expect_error(ErrorCode::usage, "above zero", [] { random_regular({.length = 0}); });
}

TEST(Peg, HasItsColumnWeightsBalancedRowsAndNoFourCycles) {
  for (std::uint64_t seed : {0u, 1u, 2u}) {
    const PegOptions options{.length = 96, .checks = 48, .column_weight = 3, .seed = seed};
    const SparseParityMatrix m = progressive_edge_growth(options);
    EXPECT_EQ(progressive_edge_growth(options), m);
    for (std::uint32_t c = 0; c < 96; ++c) EXPECT_EQ(m.column(c).size(), 3u);
    for (std::uint32_t r = 0; r < 48; ++r) {
      EXPECT_GE(m.row(r).size(), 5u);
      EXPECT_LE(m.row(r).size(), 7u);
    }
    EXPECT_FALSE(has_four_cycle(m));
  }
  EXPECT_TRUE(has_four_cycle(random_regular({.length = 96, .seed = 1})))
      << "a random code of this size has some; if not, the check sees nothing";
}

TEST(Peg, RefusesTooFewChecks) {
  expect_error(ErrorCode::usage, "3 checks are too few for columns of weight 3",
               [] { progressive_edge_growth({.length = 10, .checks = 3}); });
}

TEST(WithOnes, AddsThemAndRefusesTheRest) {
  const SparseParityMatrix m = testing::hamming();
  const Entry one{0, 2};
  const SparseParityMatrix more = with_ones(m, std::span(&one, 1));
  EXPECT_EQ(more.num_ones(), m.num_ones() + 1);
  EXPECT_EQ(more.row(0)[2], 2u);
  const auto refuse = [&](Entry entry, const std::string& why) {
    expect_error(ErrorCode::usage, why, [&] { with_ones(m, std::span(&entry, 1)); });
  };
  refuse({0, 1}, "entry 0:1: is a one already");
  refuse({3, 0}, "entry 3:0: is outside the matrix; it has 3 rows and 7 columns");
  refuse({0, 7}, "entry 0:7: is outside the matrix");
}

}  // namespace
}  // namespace fgnn::codes
