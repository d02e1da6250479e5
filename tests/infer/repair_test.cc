#include "fgnn/infer/repair.h"

#include <gtest/gtest.h>

#include "fgnn/core/timing.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

// A long chain of pairs that must differ.
FactorGraph alternating(std::size_t n) {
  GraphBuilder b;
  auto x = b.variables("x", n, 2);
  const auto differ = b.potential(Table{{2, 2}, {kForbidden, 0, 0, kForbidden}});
  for (std::size_t i = 0; i + 1 < n; i += 2) b.factor({x[i], x[i + 1]}, differ);
  return std::move(b).build();
}

TEST(Repair, AssignmentsThatDoNotFitAreRefused) {
  const FactorGraph g = alternating(4);
  expect_error(ErrorCode::model, "3 states for 4 variables", [&] { repair(g, {0, 0, 0}); });
  expect_error(ErrorCode::model, "5 states for 4 variables", [&] { repair(g, {0, 0, 0, 0, 0}); });
  expect_error(ErrorCode::model, "x[2]: state 2 is out of range", [&] { repair(g, {0, 0, 2, 0}); });
}

TEST(Repair, ManyViolationsAreMendedOneByOneInLittleTime) {
  const std::size_t n = 200000;  // a step that looks at all factors would take hours in all
  const FactorGraph g = alternating(n);
  const Stopwatch watch;
  const Repair r = repair(g, std::vector<State>(n, 0));
  EXPECT_TRUE(r.feasible);
  EXPECT_EQ(r.changes, n / 2);
  EXPECT_LT(watch.seconds(), 30);
}

TEST(Repair, LongParityChecksAreCountedAndNotReadAnew) {
  const std::size_t n = 100000;
  GraphBuilder b;
  auto x = b.variables("x", n, 2);
  for (std::size_t i = 0; i < n; ++i) b.unary(x[i], {0.0, i == 77 ? -0.5 : -1.0});
  b.factor(x, Parity(true));
  const FactorGraph g = std::move(b).build();
  const Stopwatch watch;
  const Repair r = repair(g, std::vector<State>(n, 0));
  EXPECT_TRUE(r.feasible);
  EXPECT_EQ(r.assignment[77], 1u) << "the cheapest change";
  EXPECT_LT(watch.seconds(), 30);
}

TEST(Repair, KeepsTheTimeLimit) {
  const std::size_t n = 20000;
  GraphBuilder b;
  auto x = b.variables("x", n, 2);
  b.factor(x, Count::at_least(n / 2));  // every step looks at all variables
  const FactorGraph g = std::move(b).build();
  const Stopwatch watch;
  const Repair r = repair(g, std::vector<State>(n, 0), 0, Deadline(0.05));
  EXPECT_FALSE(r.feasible);
  EXPECT_EQ(r.changes, 0u) << "the input, since nothing allowed was found";
  EXPECT_LT(watch.seconds(), 20);
}

}  // namespace
}  // namespace fgnn
