#include "fgnn/infer/exact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;
using testing::random_graph;

void expect_same_marginals(const Result& got, const Result& want) {
  ASSERT_EQ(got.status, want.status);
  if (want.status == Status::infeasible) {
    EXPECT_EQ(*got.log_partition, kForbidden);
    EXPECT_TRUE(got.marginals.empty());
    EXPECT_FALSE(got.message.empty());
    return;
  }
  EXPECT_NEAR(*got.log_partition, *want.log_partition, 1e-10);
  ASSERT_EQ(got.marginals.size(), want.marginals.size());
  for (std::size_t i = 0; i < want.marginals.values().size(); ++i) {
    EXPECT_NEAR(got.marginals.values()[i], want.marginals.values()[i], 1e-10);
  }
}

void expect_same_map(const FactorGraph& g, const Result& got, const Result& want) {
  ASSERT_EQ(got.status, want.status);
  if (want.status == Status::infeasible) return;
  EXPECT_NEAR(got.score, want.score, 1e-10);
  EXPECT_EQ(got.bound, got.score);
  EXPECT_NEAR(g.score(got.assignment), want.score, 1e-10);
}

TEST(Exact, MarginalsEqualEnumerationOnAllPotentialKinds) {
  Rng rng(11);
  for (int i = 0; i < 400; ++i) {
    const FactorGraph g = random_graph(rng, {.feasible = i % 4 != 0});
    for (const bool prune : {true, false}) {
      expect_same_marginals(exact_marginals(g, {.prune = prune}), enumerate_marginals(g));
    }
  }
}

TEST(Exact, MapEqualsEnumerationOnAllPotentialKinds) {
  Rng rng(12);
  for (int i = 0; i < 400; ++i) {
    const FactorGraph g = random_graph(rng, {.feasible = i % 4 != 0});
    for (const bool prune : {true, false}) {
      expect_same_map(g, exact_map(g, {.prune = prune}), enumerate_map(g));
    }
  }
}

TEST(Exact, WideBinaryGraphsEqualEnumeration) {
  Rng rng(13);
  for (int i = 0; i < 30; ++i) {
    const FactorGraph g = random_graph(rng, {.min_variables = 10,
                                             .max_variables = 12,
                                             .max_factors = 14,
                                             .max_arity = 7,
                                             .binary = true});
    expect_same_marginals(exact_marginals(g), enumerate_marginals(g));
    expect_same_map(g, exact_map(g), enumerate_map(g));
  }
}

TEST(Exact, KBestEqualsEnumerationAndListsNoAssignmentTwice) {
  Rng rng(14);
  for (int i = 0; i < 200; ++i) {
    const FactorGraph g = random_graph(rng);
    const std::size_t k = 2 + rng.below(20);
    const Result got = exact_map(g, {}, {}, k), want = enumerate_map(g, {}, k);
    ASSERT_EQ(got.solutions.size(), want.solutions.size());
    std::set<std::vector<State>> seen;
    for (std::size_t j = 0; j < got.solutions.size(); ++j) {
      EXPECT_NEAR(got.solutions[j].score, want.solutions[j].score, 1e-10);
      EXPECT_NEAR(g.score(got.solutions[j].assignment), got.solutions[j].score, 1e-10);
      EXPECT_TRUE(seen.insert(got.solutions[j].assignment).second);
    }
  }
}

TEST(Exact, EvidenceEqualsEnumerationWithTheSameEvidence) {
  Rng rng(15);
  for (int i = 0; i < 100; ++i) {
    const FactorGraph g = random_graph(rng, {.min_variables = 3});
    const auto x = testing::random_assignment(rng, g);
    Evidence evidence;
    evidence.fix(0, x[0]);
    evidence.weigh(1, std::vector<double>(g.states(1), rng.uniform(-1, 1)));
    expect_same_marginals(exact_marginals(g, {}, evidence), enumerate_marginals(g, evidence));
  }
}

TEST(Exact, ThreadsDoNotChangeTheAnswer) {
  Rng rng(16);
  GraphBuilder b;
  auto x = b.variables("x", 400, 2);
  for (std::size_t i = 0; i < 400; ++i) {
    b.unary(x[i], {0, rng.uniform(-1, 1)});
    const std::size_t row = i / 20, column = i % 20;
    const auto pair = [&] { return Table{{2, 2}, {rng.uniform(), 0, 0, rng.uniform()}}; };
    if (column + 1 < 15 && row < 15) b.factor({x[i], x[i + 1]}, pair());
    if (row + 1 < 15 && column < 15) b.factor({x[i], x[i + 20]}, pair());
  }
  const FactorGraph g = std::move(b).build();
  const Result one = exact_marginals(g, {.threads = 1}), two = exact_marginals(g, {.threads = 2});
  EXPECT_EQ(*one.log_partition, *two.log_partition);
  for (std::size_t i = 0; i < one.marginals.values().size(); ++i) {
    EXPECT_NEAR(one.marginals.values()[i], two.marginals.values()[i], 1e-13);
  }
  EXPECT_EQ(exact_map(g, {.threads = 1}).assignment, exact_map(g, {.threads = 2}).assignment);
}

// Counters: a structured potential over far more variables than any table could hold.
TEST(Exact, LongStructuredPotentialsAreNotExpanded) {
  const std::size_t n = 200;
  GraphBuilder b;
  auto x = b.variables("x", n, 2);
  Rng rng(17);
  std::vector<double> gain;
  for (std::size_t i = 0; i < n; ++i) {
    gain.push_back(rng.uniform(-1, 1));
    b.unary(x[i], {0, gain.back()});
  }
  b.factor(x, Count::exactly(30));
  const FactorGraph g = std::move(b).build();
  std::sort(gain.rbegin(), gain.rend());
  double want = 0;
  for (int i = 0; i < 30; ++i) want += gain[static_cast<std::size_t>(i)];
  EXPECT_NEAR(exact_map(g).score, want, 1e-10);
  const Result r = exact_marginals(g);
  double ones = 0;
  for (VariableId v = 0; v < n; ++v) ones += r.marginals[v][1];
  EXPECT_NEAR(ones, 30, 1e-9);
}

TEST(Exact, ParityOfAThousandVariables) {
  GraphBuilder b;
  auto x = b.variables("x", 1000, 2);
  for (VariableId v : x) b.unary(v, {0, -1});
  b.factor(x, Parity(true));
  const FactorGraph g = std::move(b).build();
  EXPECT_NEAR(exact_map(g).score, -1, 1e-12);
  const double p = 1 + std::exp(-1), q = 1 - std::exp(-1);
  EXPECT_NEAR(*exact_marginals(g).log_partition,
              1000 * std::log(p) + std::log((1 - std::pow(q / p, 1000)) / 2), 1e-8);
}

TEST(Exact, PermutationsAreCountedByAllDifferent) {
  GraphBuilder b;
  auto x = b.variables("x", 8, 8);
  b.factor(x, AllDifferent{});
  const FactorGraph g = std::move(b).build();
  EXPECT_NEAR(*exact_marginals(g).log_partition, std::log(40320), 1e-9);
}

TEST(Exact, LongStarsOfRankOneTerms) {
  const std::size_t n = 40;
  GraphBuilder b;
  auto x = b.variables("x", n, 2);
  b.factor(x, LowRank(std::vector<State>(n, 2), {0.5, 0.5},
                      std::vector<std::vector<double>>(n, {0.9, 0.1, 0.1, 0.9})));
  const FactorGraph g = std::move(b).build();
  const Result r = exact_marginals(g);
  EXPECT_NEAR(*r.log_partition, 0, 1e-10);
  EXPECT_NEAR(r.marginals[3][0], 0.5, 1e-10);
  expect_error(ErrorCode::too_large, "low-rank over 40 variables", [&] { exact_map(g); });

  GraphBuilder c;
  auto y = c.variables("y", n, 2);
  std::vector<double> up(2 * n, 0.0), down(2 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) up[2 * i + 1] = 1, down[2 * i] = 0.5;
  c.factor(y, MaxRankOne(std::vector<State>(n, 2), {up, down}));
  EXPECT_NEAR(exact_map(std::move(c).build()).score, 40, 1e-10);
}

FactorGraph grid(std::size_t side) {
  GraphBuilder b;
  auto x = b.variables("x", side * side, 2);
  const PotentialId p = b.potential(Table{{2, 2}, {1, 0, 0, 1}});
  for (std::size_t i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) b.factor({x[i], x[i + 1]}, p);
    if (i + side < side * side) b.factor({x[i], x[i + side]}, p);
  }
  return std::move(b).build();
}

TEST(Exact, TooWideGivesWidthAndMemory) {
  const FactorGraph g = grid(12);
  expect_error(ErrorCode::too_wide,
               "exact: too_wide: the best elimination order found has induced width",
               [&] { exact_marginals(g, {.max_bytes = 1000}); });
  expect_error(ErrorCode::too_wide, "at least", [&] { exact_marginals(grid(100), {.orders = 1}); });
  EXPECT_LE(exact_cost(g, ExactTask::map).operations, 144 * std::exp2(13)) << "the row sweep's";
  EXPECT_FALSE(exact_cost(g, ExactTask::map).hopeless);
  EXPECT_TRUE(exact_cost(grid(60), ExactTask::map).hopeless);
}

TEST(Exact, TimeLimitIsAnError) {
  const FactorGraph g = grid(14);
  expect_error(ErrorCode::time_limit, "exact: the time limit was reached",
               [&] { exact_marginals(g, {.time_limit = 1e-9}); });
  expect_error(ErrorCode::usage, "time limit", [&] { exact_marginals(g, {.time_limit = -1}); });
  expect_error(ErrorCode::usage, "orders", [&] { exact_marginals(g, {.orders = 0}); });
  expect_error(ErrorCode::usage, "threads", [&] { exact_marginals(g, {.threads = -2}); });
}

TEST(Exact, NegativeLowRankSumsNameTheFactor) {
  GraphBuilder b;
  auto x = b.variables("x", 2, 2);
  b.factor(x, LowRank({2, 2}, {1, -2}, {{1, 0, 1, 1}, {1, 0, 1, 1}}));
  const FactorGraph g = std::move(b).build();
  expect_error(ErrorCode::model, "factor 0 (x[0], x[1]): low-rank: the potential of state",
               [&] { exact_map(g); });
}

TEST(Exact, ContradictionsNameTheFactor) {
  GraphBuilder b;
  auto x = b.variables("x", 2, 2);
  b.unary(x[0], {kForbidden, 0});
  b.unary(x[1], {0, kForbidden});
  b.factor({x[0], x[1]}, Table{{2, 2}, {0, kForbidden, kForbidden, 0}});
  const FactorGraph g = std::move(b).build();
  const Result r = exact_map(g);
  EXPECT_EQ(r.status, Status::infeasible);
  EXPECT_THAT(r.message, ::testing::HasSubstr("factor 0 (x[0], x[1]) leaves no state for x["));
  EXPECT_EQ(exact_marginals(g, {.prune = false}).status, Status::infeasible);
}

TEST(ExactPlan, IsReusedOnGraphsOfTheSameStructure) {
  Rng rng(18);
  const auto make = [&] {
    GraphBuilder b;
    auto x = b.variables("x", 12, 2);
    for (VariableId v : x) b.unary(v, {0, rng.uniform(-1, 1)});
    for (std::size_t i = 0; i + 1 < 12; ++i) {
      b.factor({x[i], x[i + 1]}, Table{{2, 2}, {0, 0, 0, rng.uniform(0, 2)}});
    }
    for (std::size_t i = 0; i + 5 <= 12; ++i)
      b.factor(x.slice(i, i + 5), Count::at_most(rng.below(5)));
    return std::move(b).build();
  };
  const ExactPlan plan(make(), ExactTask::map, {.prune = false});
  const ExactPlan sums(make(), ExactTask::marginals, {.prune = false});
  for (int i = 0; i < 20; ++i) {
    const FactorGraph g = make();
    expect_same_map(g, plan.map(g), enumerate_map(g));
    expect_same_marginals(sums.marginals(g), enumerate_marginals(g));
  }
}

TEST(ExactPlan, RefusesGraphsItWasNotMadeFor) {
  Rng rng(19);
  GraphBuilder b;
  auto x = b.variables("x", 3, 2);
  b.factor(x, Count::at_most(0));
  const FactorGraph g = std::move(b).build();
  const ExactPlan plan(g, ExactTask::map);
  EXPECT_EQ(plan.map(g).score, 0);
  GraphBuilder c;
  auto y = c.variables("x", 3, 2);
  c.factor(y, Count::at_most(2));
  const FactorGraph other = std::move(c).build();
  expect_error(ErrorCode::model, "was pruned for other potentials", [&] { plan.map(other); });
  expect_error(ErrorCode::model, "another structure", [&] { plan.map(grid(3)); });
  expect_error(ErrorCode::usage, "was not made for marginals", [&] { plan.marginals(g); });
  expect_error(ErrorCode::usage, "was not made for the k best", [&] { plan.map(g, 3); });
  const ExactPlan given(g.given(Evidence().fix(0, 0)), ExactTask::map);
  expect_error(ErrorCode::model, "evidence that this graph does not have", [&] { given.map(g); });
  GraphBuilder d;
  auto z = d.variables("x", 3, 2);
  d.factor(z, Parity());
  const ExactPlan loose(other, ExactTask::map, {.prune = false});
  expect_error(ErrorCode::model, "count of other states",
               [&, p = std::move(d).build()] { loose.map(p); });
}

TEST(Enumerate, RefusesLargeGraphs) {
  expect_error(ErrorCode::too_large, "enumeration", [] { enumerate_map(grid(6)); });
}

}  // namespace
}  // namespace fgnn
