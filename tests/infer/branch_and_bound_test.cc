#include "fgnn/infer/branch_and_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;
using testing::random_graph;

void expect_optimal(const FactorGraph& g, const Result& got, const Result& want, double gap) {
  ASSERT_EQ(got.status, want.status);
  if (want.status == Status::infeasible) {
    EXPECT_TRUE(got.assignment.empty());
    EXPECT_FALSE(got.message.empty());
    return;
  }
  EXPECT_NEAR(got.score, want.score, gap + 1e-9);
  EXPECT_EQ(g.score(got.assignment), got.score);
  EXPECT_GE(got.bound, want.score - 1e-9);
  EXPECT_LE(got.bound, got.score + gap + 1e-9);
}

// Budgets on a chain: the relaxation is loose on nearly all of them.
FactorGraph budget_chain(Rng& rng, std::size_t length, std::size_t window) {
  GraphBuilder b;
  auto x = b.variables("x", length, 2);
  for (VariableId v : x) b.unary(v, {rng.uniform(), rng.uniform()});
  for (std::size_t i = 0; i + 1 < length; ++i) {
    b.factor({x[i], x[i + 1]}, Table{{2, 2}, {0, 0, 0, rng.uniform(0, 2)}});
  }
  for (std::size_t i = 0; i + window <= length; ++i) {
    b.factor(x.slice(i, i + window), Count::at_most(1 + rng.below(window - 1)));
  }
  return std::move(b).build();
}

TEST(BranchAndBound, EqualsEliminationOnFiveHundredGraphsOfAllKinds) {
  Rng rng(41);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    const FactorGraph g = random_graph(rng, {.max_variables = 12,
                                             .max_factors = 16,
                                             .max_arity = 5,
                                             .binary = i % 2 == 0,
                                             .feasible = i % 5 != 0});
    expect_optimal(g, ad3_exact(g), exact_map(g), 1e-6);
  }
}

TEST(BranchAndBound, EqualsEliminationWhereTheRelaxationIsLoose) {
  Rng rng(42);
  int loose = 0;
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    const FactorGraph g = budget_chain(rng, 30, 9);
    loose += ad3(g).status != Status::exact;
    expect_optimal(g, ad3_exact(g), exact_map(g), 1e-6);
  }
  EXPECT_GT(loose, 20);
}

TEST(BranchAndBound, IsExactHoweverBadTheRelaxation) {
  // No iterations: the bounds are those of the starting point, and only splitting closes the gap.
  Rng rng(43);
  BranchOptions options;
  options.ad3.iterations = options.node_iterations = 0;
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const FactorGraph g = random_graph(rng, {.feasible = i % 3 != 0});
    expect_optimal(g, ad3_exact(g, options), exact_map(g), 1e-6);
  }
  options.ad3.repair = false;
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const FactorGraph g = random_graph(rng, {.feasible = i % 3 != 0});
    expect_optimal(g, ad3_exact(g, options), exact_map(g), 1e-6);
  }
}

TEST(BranchAndBound, EvidenceIsKept) {
  Rng rng(44);
  for (int i = 0; i < 50; ++i) {
    const FactorGraph g = random_graph(rng, {.min_variables = 4, .max_variables = 8});
    const auto x = testing::random_assignment(rng, g);
    const Evidence evidence = Evidence().fix(0, x[0]).fix(1, x[1]);
    expect_optimal(g.given(evidence), ad3_exact(g, {}, evidence), exact_map(g, {}, evidence), 1e-6);
  }
}

TEST(BranchAndBound, ProvesInfeasibilityThatNoSingleFactorShows) {
  // Five variables, four states, any two different, as pairs: the relaxation finds no fault.
  GraphBuilder b;
  auto x = b.variables("x", 5, 4);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = i + 1; j < 5; ++j) b.factor({x[i], x[j]}, AllDifferent{});
  }
  const Result r = ad3_exact(std::move(b).build());
  EXPECT_EQ(r.status, Status::infeasible);
  EXPECT_EQ(r.bound, kForbidden);
  EXPECT_EQ(r.score, kForbidden);
}

// A grid of random signs: far beyond what a fraction of a second proves.
FactorGraph spin_glass(std::size_t side) {
  Rng rng(45);
  GraphBuilder b;
  auto x = b.variables("x", side * side, 2);
  const auto pair = [&](std::size_t i, std::size_t j) {
    const double w = rng.uniform(-1, 1);
    b.factor({x[i], x[j]}, Table{{2, 2}, {w, 0, 0, w}});
  };
  for (std::size_t i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) pair(i, i + 1);
    if (i + side < side * side) pair(i, i + side);
    pair(i, rng.below(i + 1) == i ? (i + 7) % (side * side) : (i + 2 * side + 3) % (side * side));
  }
  return std::move(b).build();
}

TEST(BranchAndBound, StoppedRunsGiveAnIncumbentAndABound) {
  const FactorGraph g = spin_glass(20);
  const Result timed = ad3_exact(g, {.time_limit = 0.3});
  EXPECT_EQ(timed.status, Status::time_limit);
  EXPECT_LT(timed.seconds, 10);
  const Result counted = ad3_exact(g, {.nodes = 5});
  EXPECT_EQ(counted.status, Status::iteration_limit);
  for (const Result* r : {&timed, &counted}) {
    EXPECT_EQ(g.score(r->assignment), r->score);
    EXPECT_GT(r->score, 0);
    EXPECT_GT(r->bound, r->score);
    EXPECT_LT(r->bound, 2 * r->score);
    EXPECT_THAT(r->message, ::testing::HasSubstr("nodes"));
  }
  const Result more = ad3_exact(g, {.nodes = 40});
  EXPECT_GE(more.score, counted.score);
  EXPECT_LE(more.bound, counted.bound);
}

TEST(BranchAndBound, SameSeedSameAnswer) {
  Rng rng(46);
  for (int i = 0; i < 10; ++i) {
    const FactorGraph g = budget_chain(rng, 20, 7);
    const Result one = ad3_exact(g), two = ad3_exact(g);
    EXPECT_EQ(one.assignment, two.assignment);
    EXPECT_EQ(one.bound, two.bound);
    EXPECT_EQ(one.iterations, two.iterations);
  }
}

TEST(BranchAndBound, AWiderGapIsKeptToo) {
  Rng rng(47);
  for (int i = 0; i < 20; ++i) {
    const FactorGraph g = budget_chain(rng, 20, 7);
    expect_optimal(g, ad3_exact(g, {.gap = 0.2}), exact_map(g), 0.2);
  }
}

TEST(BranchAndBound, OptionsAreChecked) {
  const FactorGraph g;
  expect_error(ErrorCode::usage, "gap", [&] { ad3_exact(g, {.gap = -1}); });
  expect_error(ErrorCode::usage, "time limit", [&] { ad3_exact(g, {.time_limit = 0}); });
  expect_error(ErrorCode::usage, "nodes", [&] { ad3_exact(g, {.nodes = 0}); });
  expect_error(ErrorCode::usage, "step", [&] { ad3_exact(g, {.ad3 = {.step = -1}}); });
}

}  // namespace
}  // namespace fgnn
