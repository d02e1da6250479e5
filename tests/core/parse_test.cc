#include "fgnn/core/parse.h"

#include <gtest/gtest.h>

#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using Levels = std::vector<double>;

TEST(ParseLevels, RangesIncludeTheirEnds) {
  EXPECT_EQ(parse_levels("snr", "0:4:1"), (Levels{0, 1, 2, 3, 4}));
  EXPECT_EQ(parse_levels("snr", "0:0.3:0.1"), (Levels{0, 0.1, 0.2, 0.3}));
  EXPECT_EQ(parse_levels("snr", "1:2.2:0.5"), (Levels{1, 1.5, 2}));
  EXPECT_EQ(parse_levels("snr", "-1:1"), (Levels{-1, 0, 1}));
  EXPECT_EQ(parse_levels("snr", "3"), (Levels{3}));
  EXPECT_EQ(parse_levels("snr", "4,0.5,4"), (Levels{4, 0.5, 4}));
}

TEST(ParseLevels, AnythingElseIsAnErrorAboutTheSubject) {
  for (const char* text : {"", "x", "1:", "1:2:0", "2:1", "1:2:3:4", "1,,2", "inf", "0:1e9:0.1"}) {
    testing::expect_error(ErrorCode::usage, "snr: '", [&] { parse_levels("snr", text); });
  }
}

}  // namespace
}  // namespace fgnn
