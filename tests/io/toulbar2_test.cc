#include "fgnn/io/toulbar2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/potentials/table.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

TEST(Toulbar2Files, HaveOneTablePerScopeAndTheSameOrderOfAssignments) {
  Rng rng(5);
  testing::RandomGraphOptions small;
  small.max_variables = 6;
  small.max_factors = 12;
  for (int i = 0; i < 200; ++i) {
    const FactorGraph graph = testing::random_graph(rng, small);
    const FactorGraph merged = with_one_table_per_scope(graph);
    std::set<std::vector<VariableId>> scopes;
    for (FactorId c = 0; c < merged.num_factors(); ++c) {
      const auto scope = merged.scope(c);
      EXPECT_TRUE(std::ranges::is_sorted(scope));
      EXPECT_TRUE(scopes.insert({scope.begin(), scope.end()}).second);
    }
    std::vector<State> x(graph.num_variables(), 0);
    double difference = NAN;
    do {
      const double before = graph.score(x), after = merged.score(x);
      ASSERT_EQ(before == kForbidden, after == kForbidden);
      if (before == kForbidden) continue;
      if (std::isnan(difference)) difference = before - after;
      ASSERT_NEAR(before - after, difference, 1e-9);
    } while (next_configuration(graph.states(), x));
  }
}

TEST(Toulbar2Program, SolvesTablesOverOnePairInOppositeOrders) {
  if (!have_toulbar2()) GTEST_SKIP() << "toulbar2 is not installed (Debian package toulbar2)";
  GraphBuilder b;
  const auto x = b.variables("x", 2, 3);
  b.factor({x[0], x[1]}, Table({3, 3}, {0, 0, 2, 0, 0, 0, 0, 0, 0}));
  b.factor({x[1], x[0]}, Table({3, 3}, {0, 0, 0, 0, 0, 0, 3, 0, 0}));
  const FactorGraph graph = std::move(b).build();
  const Toulbar2Answer answer = toulbar2_map(graph);
  EXPECT_TRUE(answer.proved);
  EXPECT_EQ(answer.assignment, (std::vector<State>{0, 2}));
  EXPECT_GT(answer.seconds, 0);
}

TEST(Toulbar2Program, SaysWhenNothingIsAllowed) {
  if (!have_toulbar2()) GTEST_SKIP() << "toulbar2 is not installed (Debian package toulbar2)";
  GraphBuilder b;
  const auto x = b.variables("x", 2, 2);
  b.unary(x[0], {0, kForbidden});
  b.factor({x[0], x[1]}, Table({2, 2}, {kForbidden, kForbidden, 0, 0}));
  const Toulbar2Answer answer = toulbar2_map(std::move(b).build());
  EXPECT_TRUE(answer.infeasible);
  EXPECT_FALSE(answer.proved);
  EXPECT_TRUE(answer.assignment.empty());
}

TEST(Toulbar2Program, ThatFindsNoFileFindsNothing) {
  const Toulbar2Answer answer = run_toulbar2("/nowhere/model.uai", {.time_limit = 5});
  EXPECT_TRUE(answer.assignment.empty());
  EXPECT_FALSE(answer.proved);
  EXPECT_FALSE(answer.infeasible);
}

}  // namespace
}  // namespace fgnn
