#include "fgnn/core/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "fgnn/core/parallel.h"

namespace fgnn {
namespace {

TEST(Processors, AreThoseTheProcessMayRunOn) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_GE(default_threads(), 1);
  EXPECT_LE(default_threads(), CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(default_threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Processors, QuotasAreTimePerPeriod) {
  EXPECT_EQ(processors_of_quota("150000 100000"), 1.5);
  EXPECT_EQ(processors_of_quota("max 100000"), std::nullopt);
  EXPECT_EQ(processors_of_quota(""), std::nullopt);
  EXPECT_EQ(processors_of_quota("100000 0"), std::nullopt);
}

}  // namespace
}  // namespace fgnn
