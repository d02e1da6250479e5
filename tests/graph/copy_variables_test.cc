#include "fgnn/graph/copy_variables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fgnn {
namespace {

TEST(CopyVariables, KeepsNamesStatesUnariesAndTheConstant) {
  GraphBuilder b;
  b.variable("rain", 3);
  const std::vector<State> mixed{2, 4};
  const VariableArray x = b.variables("x", mixed);
  b.unary(x[1], {0.5, 0, kForbidden, 1});
  b.constant(2);
  const FactorGraph graph = std::move(b).build();

  GraphBuilder other;
  copy_variables(graph, other);
  const FactorGraph copy = std::move(other).build();
  EXPECT_TRUE(copy.same_structure(graph));
  EXPECT_TRUE(std::ranges::equal(copy.unaries(), graph.unaries()));
  EXPECT_EQ(copy.constant(), 2);
  for (VariableId v = 0; v < graph.num_variables(); ++v) EXPECT_EQ(copy.name(v), graph.name(v));
}

}  // namespace
}  // namespace fgnn
