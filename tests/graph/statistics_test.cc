#include "fgnn/graph/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Statistics, DescribeTheGraph) {
  GraphBuilder b;
  auto x = b.variables("x", 5, 2);
  const VariableId y = b.variable("y", 4);
  b.factor({x[0], x[1], y}, Table{{2, 2, 4}, std::vector<double>(16, 0.0)});
  b.factor({x[2], x[3]}, Parity{});
  const Statistics s = statistics(std::move(b).build());
  EXPECT_EQ(s.variables, 6u);
  EXPECT_EQ(s.factors, 2u);
  EXPECT_EQ(s.edges, 5u);
  EXPECT_EQ(s.components, 3u);
  EXPECT_EQ(s.isolated_variables, 1u);
  EXPECT_TRUE(s.forest);
  EXPECT_EQ(s.largest_table, 16u);
  EXPECT_EQ(s.message_bytes, 2u * 8 * (2 + 2 + 4 + 2 + 2));
  EXPECT_EQ(s.states.max, 4);
  EXPECT_DOUBLE_EQ(s.states.mean, 14.0 / 6);
  EXPECT_EQ(s.arity.min, 2);
  EXPECT_EQ(s.degree.min, 0);
  EXPECT_THAT(s.factors_by_kind, ElementsAre(Pair("parity", 1u), Pair("table", 1u)));
}

TEST(Statistics, ComponentsAreNumberedByTheirFirstVariable) {
  GraphBuilder b;
  auto x = b.variables("x", 6, 2);
  b.factor({x[4], x[0]}, Parity{});
  b.factor({x[3], x[1]}, Parity{});
  const Components c = connected_components(std::move(b).build());
  EXPECT_EQ(c.count, 4u);
  EXPECT_THAT(c.of_variable, ElementsAre(0, 1, 2, 1, 0, 3));
}

TEST(Statistics, ForestsAreTold) {
  Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(statistics(testing::random_graph(rng, {.max_variables = 9, .tree = true})).forest);
  }
  GraphBuilder b;
  auto x = b.variables("x", 2, 2);
  b.factor(x, Parity{});
  b.factor(x, Parity{});
  EXPECT_FALSE(statistics(std::move(b).build()).forest);
  EXPECT_TRUE(statistics(FactorGraph()).forest);
}

}  // namespace
}  // namespace fgnn
