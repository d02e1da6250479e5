#include "fgnn/core/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace fgnn {
namespace {

const std::vector<std::string> kWords{"exact", "enumerate", "sum-product"};

TEST(Suggest, FindsTheWordAFewSlipsAway) {
  EXPECT_EQ(nearest_word("exat", kWords), "exact");
  EXPECT_EQ(nearest_word("sum_prodct", kWords), "sum-product");
  EXPECT_EQ(nearest_word("exact", kWords), "exact");
}

TEST(Suggest, SaysNothingWhenNoWordIsNear) {
  EXPECT_EQ(nearest_word("gibbs", kWords), "");
  EXPECT_EQ(nearest_word("", kWords), "");
  EXPECT_EQ(nearest_word("x", {}), "");
}

TEST(Suggest, AlwaysListsWhatIsKnown) {
  EXPECT_EQ(suggestion("exat", kWords),
            "did you mean 'exact'? known are exact, enumerate, sum-product");
  EXPECT_EQ(suggestion("gibbs", kWords), "known are exact, enumerate, sum-product");
  EXPECT_EQ(suggestion("gibbs", {}), "");
}

}  // namespace
}  // namespace fgnn
