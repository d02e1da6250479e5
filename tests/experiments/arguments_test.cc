#include "fgnn/experiments/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reference/expect_error.h"

namespace fgnn::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Arguments, AreWhatWasGivenElseTheFallback) {
  Arguments a;
  a.given = {{"--rank", {"8"}}, {"FILE", {"a", "b"}}};
  a.fallbacks = {{"--rank", "1024"}, {"--folds", "0,1,2"}, {"--rate", "0.5"}};
  EXPECT_TRUE(a.has("--rank"));
  EXPECT_FALSE(a.has("--folds"));
  EXPECT_EQ(a.whole("--rank"), 8u);
  EXPECT_EQ(a.number("--rate"), 0.5);
  EXPECT_EQ(a.text("--none"), "");
  EXPECT_THAT(a.list("FILE"), ElementsAre("a", "b"));
  EXPECT_THAT(a.list("--folds"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(a.list("--none"), IsEmpty());
}

TEST(Arguments, ErrorsNameTheOption) {
  Arguments a;
  a.given = {{"--rank", {"1.5"}}, {"--rate", {"fast"}}};
  testing::expect_error(ErrorCode::usage, "--rank: '1.5'", [&] { a.whole("--rank"); });
  testing::expect_error(ErrorCode::usage, "--rate: 'fast'", [&] { a.number("--rate"); });
}

}  // namespace
}  // namespace fgnn::experiments
