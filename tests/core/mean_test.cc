#include "fgnn/core/mean.h"

#include <gtest/gtest.h>

#include <cmath>

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
  EXPECT_DOUBLE_EQ(*first.error(), *all.error());
  first.add(Mean());
  EXPECT_DOUBLE_EQ(*first.error(), *all.error());
  Mean empty;
  empty.add(all);
  EXPECT_EQ(empty.error(), all.error());
}

// Squares of such numbers would drown what they differ by.
TEST(Mean, StandardErrorOfCloseLargeValuesSurvives) {
  Mean mean, first, second;
  for (int i = 0; i < 1000; ++i) {
    mean.add(1e9 + i % 2);
    (i < 300 ? first : second).add(1e9 + i % 2);
  }
  const double expected = std::sqrt(0.25 / 999);
  EXPECT_NEAR(*mean.error(), expected, 1e-6 * expected);
  first.add(second);
  EXPECT_NEAR(*first.error(), expected, 1e-6 * expected);
}

TEST(Mean, InfiniteValuesHaveNoStandardError) {
  Mean mean;
  mean.add(1);
  mean.add(INFINITY);
  mean.add(2);
  EXPECT_EQ(mean.value(), INFINITY);
  EXPECT_EQ(mean.error(), std::nullopt);
}

}  // namespace
}  // namespace fgnn
