#include "fgnn/core/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/reference/expect_error.h"

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

TEST(OrderedRegistry, KeepsOrderAndPlaces) {
  OrderedRegistry<int> registry("number");
  const int& first = registry.add("b", 1);
  for (int i = 0; i < 100; ++i) registry.add("more" + std::to_string(i), i);
  EXPECT_EQ(registry.find("b"), &first);
  EXPECT_EQ(registry.find("c"), nullptr);
  EXPECT_EQ(registry.names()[1], "more0");
  EXPECT_EQ(registry.values()[100], 99);
}

TEST(OrderedRegistry, RefusesNamesThatAreTakenOrOdd) {
  OrderedRegistry<int> registry("number");
  registry.add("one", 1);
  testing::expect_error(ErrorCode::usage, "number 'one': there is one of that name",
                        [&] { registry.add("one", 2); });
  for (const char* odd : {"", "a:b", "a,b"}) {
    testing::expect_error(ErrorCode::usage, "no colon or comma", [&] { registry.add(odd, 2); });
  }
  EXPECT_EQ(*registry.find("one"), 1);
}

TEST(OrderedRegistry, MayGrowWhileOthersLook) {
  OrderedRegistry<std::string> registry("word");
  std::thread writer([&] {
    for (int i = 0; i < 1000; ++i) registry.add("name" + std::to_string(i), "value");
  });
  for (int i = 0; i < 1000; ++i) {
    const std::string* found = registry.find("name" + std::to_string(i));
    EXPECT_TRUE(found == nullptr || *found == "value");
  }
  writer.join();
  EXPECT_EQ(registry.values().size(), 1000u);
}

}  // namespace
}  // namespace fgnn
