#include "tests/reference/toulbar2.h"

#include <gtest/gtest.h>

namespace fgnn::testing {

void expect_toulbar2_agrees(const FactorGraph& graph, const Result& ours) {
  ASSERT_EQ(ours.status, Status::exact);
  const Toulbar2Answer theirs = toulbar2_map(graph);
  EXPECT_TRUE(theirs.proved);
  ASSERT_EQ(theirs.assignment.size(), graph.num_variables());
  EXPECT_NEAR(graph.score(ours.assignment), ours.score, 1e-9);
  EXPECT_GE(ours.score, graph.score(theirs.assignment) - 1e-9);
  EXPECT_LE(ours.score, graph.score(theirs.assignment) + 1e-4);
}

}  // namespace fgnn::testing
