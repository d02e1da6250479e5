#include "fgnn/infer/finish.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/methods.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;

// Two variables that like to differ; the best score is 3.
FactorGraph pair() {
  GraphBuilder b;
  const auto x = b.variables("x", 2, 2);
  b.unary(x[0], {0, 1});
  b.factor({x[0], x[1]}, Table({2, 2}, {0, 2, 2, kForbidden}));
  return std::move(b).build();
}

Result claims(std::vector<State> assignment, double bound, Status status) {
  Result result;
  result.method = "tested";
  result.assignment = std::move(assignment);
  result.bound = bound;
  result.status = status;
  result.score = 1e9;  // whatever a method says
  return result;
}

TEST(Finish, ScoresTheAssignmentItself) {
  const Result r = finish_map(pair(), claims({0, 1}, kInfinity, Status::converged));
  EXPECT_EQ(r.score, 2);
  EXPECT_TRUE(r.feasible());
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_TRUE(r.finished);
}

TEST(Finish, AScoreThatMeetsItsBoundIsExact) {
  EXPECT_EQ(finish_map(pair(), claims({1, 0}, 3 + 1e-8, Status::converged)).status, Status::exact);
  EXPECT_EQ(finish_map(pair(), claims({1, 0}, 3.1, Status::converged)).status, Status::converged);
  EXPECT_EQ(finish_map(pair(), claims({1, 0}, 3 + 1e-12, Status::converged)).bound, 3);
}

TEST(Finish, ABoundBelowAScoreIsABug) {
  expect_error(ErrorCode::internal, "scores 3 above a bound of 2", [] {
    finish_map(pair(), claims({1, 0}, 2, Status::converged));
  });
}

TEST(Finish, AProofThatIsNoneIsABug) {
  expect_error(ErrorCode::internal, "calls a score of 2 proved by a bound of 3", [] {
    finish_map(pair(), claims({0, 1}, 3, Status::exact));
  });
  expect_error(ErrorCode::internal, "proved", [] {
    finish_map(pair(), claims({1, 1}, kInfinity, Status::exact));  // forbidden by the table
  });
}

TEST(Finish, AStateThatEvidenceRulesOutIsABug) {
  const FactorGraph given = pair().given(Evidence().fix(1, 0));
  expect_error(ErrorCode::internal, "puts x[1] into state 1, which is ruled out", [&] {
    finish_map(given, claims({0, 1}, kInfinity, Status::converged));
  });
}

TEST(Finish, AnInfeasibleGraphWithAnAnswerIsABug) {
  expect_error(ErrorCode::internal, "calls infeasible", [] {
    finish_map(pair(), claims({1, 0}, kForbidden, Status::converged));
  });
  expect_error(ErrorCode::internal, "calls infeasible", [] {
    finish_map(pair(), claims({1, 0}, kInfinity, Status::infeasible));
  });
}

TEST(Finish, ABoundOfMinusInfinityIsInfeasibility) {
  const Result r = finish_map(pair(), claims({1, 1}, kForbidden, Status::converged));
  EXPECT_EQ(r.status, Status::infeasible);
  EXPECT_TRUE(r.assignment.empty());
  EXPECT_FALSE(r.message.empty());
}

TEST(Finish, ConstantsAndVariablesWithoutStatesAreInfeasible) {
  GraphBuilder b;
  b.unary(b.variable("x", 2), {0, 1});
  b.constant(kForbidden);
  const FactorGraph constant = std::move(b).build();
  const FactorGraph evidence = pair().given(Evidence().fix(0, 0).fix(0, 1));
  EXPECT_EQ(finish_map(constant, claims({1}, 5, Status::exact)).status, Status::infeasible);
  const Result r = finish_map(evidence, claims({0, 1}, 5, Status::exact));
  EXPECT_EQ(r.status, Status::infeasible);
  EXPECT_EQ(r.message, "x[0]: every state is forbidden");
  Result marginals;
  marginals.marginals = Marginals(constant);
  EXPECT_EQ(finish_marginals(constant, marginals).status, Status::infeasible);
}

TEST(Finish, WithoutAnAssignmentNothingIsScored) {
  const Result r = finish_map(pair(), claims({}, 7, Status::time_limit));
  EXPECT_FALSE(r.feasible());
  EXPECT_EQ(r.status, Status::time_limit);
  EXPECT_EQ(r.message, "no allowed assignment was found");
}

TEST(Finish, SolutionsAreScoredAndInOrder) {
  Result k = claims({1, 0}, 3, Status::exact);
  k.solutions = {{{1, 0}, 0}, {{0, 1}, 0}};
  EXPECT_EQ(finish_map(pair(), k).solutions[1].score, 2);
  std::swap(k.solutions[0], k.solutions[1]);
  expect_error(ErrorCode::internal, "out of order", [&] { finish_map(pair(), k); });
}

Result beliefs(const FactorGraph& graph, double p) {
  Result result;
  result.method = "tested";
  result.status = Status::converged;
  result.marginals = Marginals(graph);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    result.marginals[v][0] = p;
    result.marginals[v][1] = 1 - p;
  }
  return result;
}

TEST(Finish, ProbabilitiesAddUpAndRespectEvidence) {
  EXPECT_EQ(finish_marginals(pair(), beliefs(pair(), 0.25)).status, Status::converged);
  expect_error(ErrorCode::internal, "a probability of 1.5",
               [] { finish_marginals(pair(), beliefs(pair(), 1.5)); });
  const FactorGraph given = pair().given(Evidence().fix(1, 0));
  expect_error(ErrorCode::internal, "state 1 of x[1], which is ruled out",
               [&] { finish_marginals(given, beliefs(given, 0.25)); });
}

TEST(Finish, AnImpossiblePartitionFunctionIsWithheld) {
  for (const double log_z : {1e3, -1e66}) {
    Result r = beliefs(pair(), 0.25);
    r.log_partition = log_z;
    r = finish_marginals(pair(), r);
    EXPECT_EQ(r.status, Status::diverged);
    EXPECT_FALSE(r.log_partition);
    EXPECT_NE(r.message.find("withheld"), std::string::npos);
  }
}

TEST(Finish, EveryTruePartitionFunctionIsPlausible) {
  Rng rng(5);
  for (int trial = 0; trial < 300; ++trial) {
    testing::RandomGraphOptions options;
    options.largest = trial % 2 ? 2 : 500;
    const FactorGraph graph = testing::random_graph(rng, options);
    const Result truth = enumerate_marginals(graph);
    // Marked as an approximation, ln Z must pass for plausible.
    Result approximate = truth;
    approximate.status = Status::converged;
    EXPECT_TRUE(finish_marginals(graph, approximate).log_partition);
  }
}

// Two unaries and a pair, each of this size.
FactorGraph of_size(double value) {
  GraphBuilder b;
  const auto x = b.variables("x", 2, 2);
  for (const VariableId v : x) b.unary(v, std::vector<double>{value, value});
  b.factor({x[0], x[1]}, Table({2, 2}, {value, value, value, value}));
  return std::move(b).build();
}

TEST(Finish, SumsBeyondADoubleAreRefused) {
  for (const double value : {1e308, -1e308}) {
    const FactorGraph graph = of_size(value);
    for (const Method& method : methods()) {
      expect_error(ErrorCode::model, "beyond the range of a double",
                   [&] { method.solve(graph, {}, {}); });
    }
  }
}

Result with_bounds(double low, double high) {
  const FactorGraph graph = of_size(0.5);  // ln Z = 1.5 + ln 4 = 2.886
  Result r;
  r.method = "test";
  r.status = Status::converged;
  r.marginals = Marginals(graph);
  for (VariableId v = 0; v < 2; ++v) r.marginals[v][0] = 1;
  r.log_partition_low = low;
  r.log_partition_high = high;
  return r;
}

TEST(Finish, BoundsOfLogZThatCrossAreABug) {
  const FactorGraph graph = of_size(0.5);
  EXPECT_EQ(finish_marginals(graph, with_bounds(2, 3)).log_partition_high, 3);
  expect_error(ErrorCode::internal, "proves ln Z above 3 and below 2",
               [&] { finish_marginals(graph, with_bounds(3, 2)); });
  expect_error(ErrorCode::internal, "it is at most 2.88",
               [&] { finish_marginals(graph, with_bounds(3, 4)); });
  Result outside = with_bounds(1, 2);
  outside.log_partition = 2.5;
  expect_error(ErrorCode::internal, "gives ln Z of 2.5, which it proves to be 1 to 2",
               [&] { finish_marginals(graph, outside); });
  // But for rounding.
  EXPECT_EQ(finish_marginals(graph, with_bounds(2 + 1e-12, 2)).log_partition_high, 2 + 1e-12);
}

TEST(Finish, AnExactLogZIsBothOfItsBounds) {
  const FactorGraph graph = of_size(0.5);
  Result r = with_bounds(kForbidden, kInfinity);
  r.status = Status::exact;
  r.log_partition = 1.5 + std::log(4);
  const Result finished = finish_marginals(graph, r);
  EXPECT_EQ(finished.log_partition_low, *r.log_partition);
  EXPECT_EQ(finished.log_partition_high, *r.log_partition);
  EXPECT_FALSE(finished.bounds_partition());
  r.log_partition_high = 2;
  expect_error(ErrorCode::internal, "which it proves to be", [&] { finish_marginals(graph, r); });
}

TEST(Finish, AnUpperBoundOfNothingProvesThatNothingIsAllowed) {
  const FactorGraph graph = of_size(0.5);
  EXPECT_EQ(finish_marginals(graph, with_bounds(kForbidden, kForbidden)).status,
            Status::infeasible);
  expect_error(ErrorCode::internal, "", [&] {
    Result r = infeasible("a test");
    r.log_partition_low = 1;
    finish_marginals(graph, r);
  });
}

TEST(Finish, SampledIntervalsAreCutToWhatIsProved) {
  const FactorGraph graph = of_size(0.5);
  Result r = with_bounds(1, 2.9);
  r.log_partition_sampled = SampledInterval{0, 4};
  const Result finished = finish_marginals(graph, r);
  EXPECT_EQ(finished.log_partition_sampled->low, 1);
  EXPECT_EQ(finished.log_partition_sampled->high, 2.9);
  EXPECT_NE(finished.brief_report().find("proved 1 to 2.9, sampled 1 to 2.9 with 95 %"),
            std::string::npos)
      << finished.brief_report();
}

// Assignments are scored as far as a double goes; probabilities need the digits behind them.
TEST(Finish, SumsBelowThatAreAnswered) {
  for (const double value : {1e306, -1e306}) {
    for (const Method& method : methods()) {
      if (method.query == Query::map) {
        EXPECT_NEAR(method.solve(of_size(value), {}, {}).score / value, 3, 1e-9) << method.name;
      } else {
        EXPECT_NEAR(method.solve(of_size(value / 1e300), {}, {}).marginals[0][0], 0.5, 1e-6)
            << method.name;
      }
    }
    expect_error(ErrorCode::model, "are lost to rounding",
                 [&] { find_method(Query::infer, "exact").solve(of_size(value), {}, {}); });
  }
}

}  // namespace
}  // namespace fgnn
