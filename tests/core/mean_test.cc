#include "fgnn/core/mean.h"

#include <gtest/gtest.h>

namespace fgnn {
namespace {

TEST(Mean, OfValuesWithItsStandardError) {
  Mean mean;
  EXPECT_EQ(mean.value(), std::nullopt);
  mean.add(1);
  EXPECT_EQ(mean.value(), 1.0);
  EXPECT_EQ(mean.error(), std::nullopt);
  mean.add(3);
  EXPECT_EQ(mean.value(), 2.0);
  EXPECT_DOUBLE_EQ(*mean.error(), 1.0);  // variance 2 over 2 values
}

TEST(Mean, OfPartsIsThatOfAll) {
  Mean all, first, second;
  for (int i = 0; i < 10; ++i) {
    all.add(i * i);
    (i < 4 ? first : second).add(i * i);
  }
  first.add(second);
  EXPECT_EQ(first.count(), 10u);
  EXPECT_EQ(first.value(), all.value());
  EXPECT_EQ(first.error(), all.error());
}

}  // namespace
}  // namespace fgnn
