#include "fgnn/core/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace fgnn {
namespace {

using ::testing::ElementsAre;

TEST(Registry, FindsWhatWasAddedLast) {
  Registry<int> registry;
  EXPECT_EQ(registry.find("a"), std::nullopt);
  registry.add("b", 1);
  registry.add("a", 2);
  registry.add("b", 3);
  EXPECT_EQ(registry.find("b"), 3);
  EXPECT_THAT(registry.names(), ElementsAre("a", "b"));
}

// Says little by itself; the thread sanitizer sees the rest.
TEST(Registry, MayGrowWhileOthersLook) {
  Registry<std::string> registry;
  std::thread writer([&] {
    for (int i = 0; i < 1000; ++i) registry.add("name" + std::to_string(i % 50), "value");
  });
  for (int i = 0; i < 1000; ++i) {
    const auto found = registry.find("name" + std::to_string(i % 50));
    EXPECT_TRUE(!found || *found == "value");
  }
  writer.join();
  EXPECT_EQ(registry.names().size(), 50u);
}

}  // namespace
}  // namespace fgnn
