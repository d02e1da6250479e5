#include "fgnn/experiments/graph_family.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/reference/expect_error.h"

namespace fgnn::experiments {
namespace {

Arguments usual(const GraphFamily& family) {
  Arguments arguments;
  for (const Option& option : family.options) {
    if (!option.fallback.empty()) arguments.fallbacks[option.name] = option.fallback;
  }
  return arguments;
}

TEST(GraphFamilies, MakeEveryModelThatTheyName) {
  std::set<std::string> names;
  for (const GraphFamily* family : graph_families()) {
    EXPECT_FALSE(family->models.empty());
    EXPECT_FALSE(family->generate_examples.empty());
    for (const GraphModel& model : family->models) {
      EXPECT_TRUE(names.insert(model.name).second) << model.name << " is there twice";
      EXPECT_FALSE(model.description.empty());
      EXPECT_EQ(&family_of_model(model.name), family);
      Arguments arguments = usual(*family);
      const auto instance = family->graphs(model.name, arguments);
      EXPECT_GT(instance(0).num_variables(), 1u) << model.name;
      EXPECT_EQ(instance(3), family->graphs(model.name, arguments)(3)) << model.name;
      arguments.seed = 1;
      EXPECT_FALSE(instance(3) == family->graphs(model.name, arguments)(3)) << model.name;
    }
  }
  EXPECT_TRUE(names.contains("D3"));
  EXPECT_TRUE(names.contains("noisy-or"));
}

TEST(GraphFamilies, NameTheNearestModel) {
  testing::expect_error(ErrorCode::usage, "'grod': there is no such model; did you mean 'grid'?",
                        [] { family_of_model("grod"); });
}

}  // namespace
}  // namespace fgnn::experiments
