#include "fgnn/core/budget.h"

#include <gtest/gtest.h>

#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

TEST(Budget, RefusesWhatWouldGoBeyondAndSaysWhatIsNeeded) {
  Budget budget("file.fgt", 1 << 20);
  budget.take(1 << 19);
  expect_error(ErrorCode::too_large, "file.fgt: needs 3.5 MiB or more, the limit is 1.0 MiB",
               [&] { budget.take(3 << 20); });
  expect_error(ErrorCode::too_large, "--memory", [&] { budget.take(Budget::kNoLimit); });
  EXPECT_EQ(budget.held(), 1u << 19) << "what was refused is not held";
  budget.take(1 << 19);
}

TEST(Budget, HoldsAreGivenBack) {
  Budget budget("x", 100);
  {
    Hold hold(budget);
    hold.take(60);
    Hold moved = std::move(hold);
    EXPECT_EQ(budget.held(), 60u);
    expect_error(ErrorCode::too_large, "x: needs", [&] { moved.take(50); });
    EXPECT_EQ(moved.bytes(), 60u);
  }
  EXPECT_EQ(budget.held(), 0u);
}

TEST(Budget, TimeIsOverWhenItIs) {
  EXPECT_NO_THROW(Budget("x").check_time());
  expect_error(ErrorCode::time_limit, "x: the time limit was reached",
               [] { Budget("x", 1, Deadline(1e-9)).check_time(); });
  EXPECT_EQ(Deadline().remaining(), kInfinity);
  EXPECT_LE(Deadline(1e-9).remaining(), 0);
}

TEST(TimeCheck, LooksAtTheClockOnceInManySteps) {
  const Deadline over(1e-9), never;
  TimeCheck late(over), fine(never);
  EXPECT_FALSE(late.late()) << "not looked yet";
  EXPECT_TRUE(late.late(1 << 20));
  EXPECT_TRUE(late.late()) << "and it stays so";
  EXPECT_FALSE(fine.late(1 << 20));
}

}  // namespace
}  // namespace fgnn
