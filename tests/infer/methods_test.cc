#include "fgnn/infer/methods.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

TEST(Methods, AreDescribedAndNamedOncePerTask) {
  std::set<std::pair<Task, std::string>> seen;
  for (const Method& method : methods()) {
    EXPECT_TRUE(seen.emplace(method.task, method.name).second) << method.name;
    EXPECT_FALSE(method.description.empty() || method.cost.empty() || method.guarantee.empty());
  }
}

TEST(Methods, AnswerTheirTask) {
  Rng rng(1);
  const FactorGraph graph = testing::random_graph(rng);
  for (const Method& method : methods()) {
    const Result result = method.solve(graph, {}, {});
    EXPECT_EQ(result.method, method.name);
    EXPECT_EQ(result.marginals.empty(), method.task == Task::map) << method.name;
    EXPECT_EQ(result.assignment.empty(), method.task == Task::infer) << method.name;
  }
}

TEST(Methods, UnknownNamesGetTheNearestOne) {
  EXPECT_EQ(find_method(Task::map, "exact").task, Task::map);
  testing::expect_error(ErrorCode::usage, "did you mean 'enumerate'?",
                        [] { find_method(Task::infer, "enumerat"); });
}

}  // namespace
}  // namespace fgnn
