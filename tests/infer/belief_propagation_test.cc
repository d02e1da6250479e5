#include "fgnn/infer/belief_propagation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/decode.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/repair.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;
using testing::random_graph;

void expect_near(const Marginals& got, const Marginals& want, double tolerance) {
  ASSERT_EQ(got.values().size(), want.values().size());
  for (std::size_t i = 0; i < want.values().size(); ++i) {
    ASSERT_FALSE(std::isnan(got.values()[i]));
    EXPECT_NEAR(got.values()[i], want.values()[i], tolerance);
  }
}

const std::vector<Schedule> kSchedules{Schedule::flooding, Schedule::sequential, Schedule::random,
                                       Schedule::residual, Schedule::layered};

TEST(SumProduct, TreeMarginalsEqualEnumeration) {
  Rng rng(31);
  for (int i = 0; i < 1000; ++i) {
    const FactorGraph g = random_graph(
        rng, {.max_variables = 8, .max_states = 4, .tree = true, .binary = i % 3 == 0});
    const Result want = enumerate_marginals(g);
    const Result got =
        sum_product(g, {.schedule = kSchedules[i % kSchedules.size()], .damping = 0, .threads = 1});
    ASSERT_EQ(got.status, Status::converged) << i;
    expect_near(got.marginals, want.marginals, 1e-10);
    EXPECT_NEAR(*got.log_partition, *want.log_partition, 1e-9);
  }
}

TEST(MaxProduct, DecodesTheMapOfTrees) {
  Rng rng(32);
  for (int i = 0; i < 1000; ++i) {
    const FactorGraph g = random_graph(
        rng, {.max_variables = 8, .max_states = 4, .tree = true, .binary = i % 3 == 0});
    const Result got =
        max_product(g, {.schedule = kSchedules[i % kSchedules.size()], .damping = 0, .threads = 1});
    ASSERT_EQ(got.status, Status::converged);
    EXPECT_NEAR(got.score, enumerate_map(g).score, 1e-9) << i;
  }
}

// The structured kernels against the table kernels, loops included, at every iteration.
TEST(SumProduct, StructuredKernelsEqualTheirTables) {
  Rng rng(33);
  for (int i = 0; i < 300; ++i) {
    const FactorGraph g = random_graph(rng, {.min_variables = 4,
                                             .max_variables = 8,
                                             .max_states = i % 2 ? 2u : 4u,
                                             .max_factors = 8,
                                             .max_arity = 6,
                                             .binary = i % 2 == 1});
    const FactorGraph tables = testing::with_tables(g);
    for (const std::size_t iterations : {1u, 5u}) {
      const BpOptions options{
          .iterations = iterations, .tolerance = 0, .damping = 0.1, .threads = 1};
      const Result a = sum_product(g, options), b = sum_product(tables, options);
      ASSERT_EQ(a.status, b.status);
      if (a.status == Status::infeasible) continue;
      expect_near(a.marginals, b.marginals, 1e-9);
      EXPECT_NEAR(*a.log_partition, *b.log_partition, 1e-8);
      const Result c = max_product(g, options), d = max_product(tables, options);
      expect_near(c.marginals, d.marginals, 1e-9);
    }
  }
}

TEST(SumProduct, LargeStructuredFactorsEqualSmallOnes) {
  // Beyond the size of the lane kernels: counts and parity over more than a hundred variables.
  Rng rng(34);
  for (const bool parity : {false, true}) {
    GraphBuilder b;
    auto x = b.variables("x", 120, 2);
    for (VariableId v : x) b.unary(v, {0, rng.uniform(-2, 2)});
    parity ? b.factor(x, Parity(true)) : b.factor(x, Count::exactly(17));
    const FactorGraph g = std::move(b).build();
    const Result r = sum_product(g, {.damping = 0, .threads = 1});
    double ones = 0;
    for (VariableId v : x) ones += r.marginals[v][1];
    if (!parity) {
      EXPECT_NEAR(ones, 17, 1e-8);
    }
    const Result map = max_product(g, {.damping = 0, .threads = 1});
    EXPECT_NE(map.score, kForbidden);
  }
}

TEST(SumProduct, ExtremePotentialsNeverGiveNaN) {
  for (const double big : {100.0, 650.0, 1e4, 1e7}) {
    GraphBuilder b;
    auto x = b.variables("x", 4, 3);
    Rng rng(35);
    for (VariableId v : x) b.unary(v, {0, -big, big * rng.uniform()});
    for (std::size_t i = 0; i + 1 < 4; ++i) {
      b.factor(
          {x[i], x[i + 1]},
          Table{{3, 3}, {0, -big, kForbidden, kForbidden, big, -big, -2 * big, 0, kForbidden}});
    }
    b.factor(x, Count({0, -big, big, 0, 0}, kForbidden, {{0, 2}}));
    const FactorGraph g = std::move(b).build();
    for (const bool single : {false, true}) {
      const Result r = sum_product(
          g, {.iterations = 20, .damping = 0, .single_precision = single, .threads = 1});
      for (double p : r.marginals.values()) EXPECT_FALSE(std::isnan(p)) << big;
      const Result m = max_product(
          g, {.iterations = 20, .damping = 0, .single_precision = single, .threads = 1});
      EXPECT_FALSE(std::isnan(m.score));
    }
  }
}

TEST(SumProduct, ExtremeTreesStayExact) {
  Rng rng(36);
  for (int i = 0; i < 100; ++i) {
    GraphBuilder b;
    auto x = b.variables("x", 5, 2);
    const double big = std::pow(10, rng.uniform(1, 4));
    for (VariableId v : x) b.unary(v, {0, big * rng.uniform(-1, 1)});
    for (std::size_t k = 0; k + 1 < 5; ++k) {
      std::vector<double> values;
      for (int e = 0; e < 4; ++e)
        values.push_back(rng.below(5) ? big * rng.uniform(-1, 1) : kForbidden);
      b.factor({x[k], x[k + 1]}, Table{{2, 2}, values});
    }
    const FactorGraph g = std::move(b).build();
    const Result want = enumerate_marginals(g), got = sum_product(g, {.damping = 0, .threads = 1});
    ASSERT_EQ(got.status == Status::infeasible, want.status == Status::infeasible);
    if (want.status == Status::infeasible) continue;
    expect_near(got.marginals, want.marginals, 1e-9);
    EXPECT_NEAR(*got.log_partition, *want.log_partition, 1e-9 * big);
  }
}

TEST(SumProduct, SinglePrecisionIsCloseToDouble) {
  Rng rng(37);
  for (int i = 0; i < 100; ++i) {
    const FactorGraph g = random_graph(rng, {.max_variables = 9, .tree = true});
    const Result r = sum_product(g, {.damping = 0, .single_precision = true, .threads = 1});
    expect_near(r.marginals, enumerate_marginals(g).marginals, 2e-4);
  }
}

FactorGraph random_grid(std::size_t side, State states, Rng& rng) {
  GraphBuilder b;
  auto x = b.variables("x", side * side, states);
  for (VariableId v : x) {
    std::vector<double> theta(states);
    for (double& t : theta) t = rng.uniform(-1, 1);
    b.unary(v, theta);
  }
  const auto pair = [&] {
    std::vector<double> values(states * states);
    for (double& t : values) t = rng.uniform(-0.5, 0.5);
    return Table({states, states}, values);
  };
  for (std::size_t i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) b.factor({x[i], x[i + 1]}, pair());
    if (i + side < side * side) b.factor({x[i], x[i + side]}, pair());
  }
  return std::move(b).build();
}

TEST(SumProduct, SchedulesThreadsAndWarmStartsReachTheSameFixedPoint) {
  Rng rng(38);
  for (const State states : {2u, 9u, 17u}) {
    const FactorGraph g = random_grid(12, states, rng);
    const Result reference = sum_product(g, {.damping = 0, .threads = 1});
    ASSERT_EQ(reference.status, Status::converged);
    for (const Schedule schedule : kSchedules) {
      const Result r =
          sum_product(g, {.schedule = schedule, .tolerance = 1e-10, .damping = 0, .threads = 2});
      ASSERT_EQ(r.status, Status::converged);
      expect_near(r.marginals, reference.marginals, 1e-7);
      EXPECT_NEAR(*r.log_partition, *reference.log_partition, 1e-6);
    }
    const Result warm = sum_product(g, {.damping = 0, .threads = 2}, {}, &reference.messages);
    EXPECT_LE(warm.iterations, 2u);
    const Result two = sum_product(g, {.damping = 0, .threads = 2});
    EXPECT_EQ(two.iterations, reference.iterations);
    expect_near(two.marginals, reference.marginals, 1e-12);
  }
}

TEST(SumProduct, LowTemperatureApproachesMaxProduct) {
  Rng rng(39);
  for (int i = 0; i < 50; ++i) {
    const FactorGraph g =
        random_graph(rng, {.max_variables = 7, .tree = true, .kinds = {"table", "count"}});
    const Result cold = sum_product(g, {.damping = 0, .temperature = 0.01, .threads = 1});
    // T log Z_T lies within T log(number of states) of the best score.
    const double best = enumerate_map(g).score;
    EXPECT_GE(*cold.log_partition, best - 1e-9);
    EXPECT_LE(*cold.log_partition,
              best + 0.01 * std::log(double(configurations(g.states()))) + 1e-9);
  }
}

TEST(SumProduct, FactorBeliefsAgreeWithVariableBeliefs) {
  Rng rng(40);
  for (int i = 0; i < 100; ++i) {
    const FactorGraph g = random_graph(rng, {.max_variables = 7, .tree = true});
    const Result r = sum_product(g, {.damping = 0, .threads = 1});
    for (FactorId c = 0; c < g.num_factors(); ++c) {
      const auto belief = factor_belief(g, r.messages, c);
      const auto shape = g.shape(c);
      std::vector<State> x(shape.size(), 0);
      std::vector<double> first(shape[0], 0.0);
      for (double p : belief) {
        first[x[0]] += p;
        next_configuration(shape, x);
      }
      for (State s = 0; s < shape[0]; ++s)
        EXPECT_NEAR(first[s], r.marginals[g.scope(c)[0]][s], 1e-9);
    }
  }
}

TEST(SumProduct, ContradictionsAreInfeasibleAndNamed) {
  GraphBuilder b;
  auto x = b.variables("x", 3, 2);
  b.factor({x[0], x[1]}, Table{{2, 2}, {0, kForbidden, kForbidden, 0}});
  b.factor({x[1], x[2]}, Table{{2, 2}, {0, kForbidden, kForbidden, 0}});
  const FactorGraph g = std::move(b).build();
  const Evidence evidence = Evidence().fix(0, 0).fix(2, 1);
  for (const Schedule schedule : kSchedules) {
    const Result r = sum_product(g, {.schedule = schedule}, evidence);
    EXPECT_EQ(r.status, Status::infeasible);
    EXPECT_THAT(r.message, ::testing::HasSubstr("no state allowed"));
    EXPECT_EQ(max_product(g, {.schedule = schedule}, evidence).status, Status::infeasible);
  }
}

TEST(SumProduct, StopsOnIterationsAndTime) {
  Rng rng(41);
  const FactorGraph g = random_grid(10, 2, rng);
  const Result short_run = sum_product(g, {.iterations = 3, .tolerance = 0});
  EXPECT_EQ(short_run.status, Status::iteration_limit);
  EXPECT_EQ(short_run.residuals.size(), 3u);
  EXPECT_EQ(sum_product(g, {.time_limit = 1e-9}).status, Status::time_limit);
  EXPECT_EQ(sum_product(FactorGraph(), {}).status, Status::converged);
}

TEST(SumProduct, OptionsAreChecked) {
  const FactorGraph g;
  expect_error(ErrorCode::usage, "damping", [&] { sum_product(g, {.damping = 1}); });
  expect_error(ErrorCode::usage, "temperature", [&] { sum_product(g, {.temperature = 0}); });
  expect_error(ErrorCode::usage, "tolerance", [&] { sum_product(g, {.tolerance = -1}); });
  expect_error(ErrorCode::usage, "threads", [&] { max_product(g, {.threads = -1}); });
  expect_error(ErrorCode::usage, "time limit", [&] { max_product(g, {.time_limit = 0}); });
  Rng rng(42);
  const FactorGraph other = random_grid(3, 2, rng);
  const Messages wrong(random_grid(4, 2, rng));
  expect_error(ErrorCode::model, "warm start", [&] { sum_product(other, {}, {}, &wrong); });
}

// 29 clauses over 8 bits with three solutions; a clause is a scope and the one state it forbids.
FactorGraph clauses() {
  GraphBuilder b;
  const auto x = b.variables("x", 8, 2);
  std::istringstream text(
      "145:010 014:111 014:001 012:001 237:101 167:101 347:110 146:010 245:001 135:101 567:100 "
      "012:110 067:000 134:110 257:101 046:111 356:110 357:001 036:001 026:110 137:010 245:110 "
      "147:000 015:100 056:110 046:011 345:010 127:110 467:000");
  for (std::string clause; text >> clause;) {
    std::vector<VariableId> scope;
    std::vector<State> forbidden;
    for (int i = 0; i < 3; ++i) {
      scope.push_back(x[clause[i] - '0']);
      forbidden.push_back(static_cast<State>(clause[4 + i] - '0'));
    }
    b.factor(std::span<const VariableId>(scope), Sparse({2, 2, 2}, 0, forbidden, {kForbidden}));
  }
  return std::move(b).build();
}

TEST(SumProduct, RunawayMessagesAreNoProofOfInfeasibility) {
  const FactorGraph graph = clauses();
  for (const bool single : {false, true}) {
    for (const Schedule schedule : {Schedule::flooding, Schedule::sequential, Schedule::residual}) {
      const Result r = sum_product(
          graph,
          {.schedule = schedule, .iterations = 2000, .damping = 0, .single_precision = single});
      EXPECT_NE(r.status, Status::infeasible) << r.message;
      for (const double m : r.messages.values()) EXPECT_TRUE(std::isfinite(m) || m == kForbidden);
      EXPECT_FALSE(r.status == Status::diverged && r.log_partition);
      EXPECT_LE(r.log_partition.value_or(0), 8 * std::log(2.0) + 1e-9);
    }
  }
  EXPECT_EQ(
      sum_product(graph, {.schedule = Schedule::flooding, .iterations = 2000, .damping = 0}).status,
      Status::diverged);
}

TEST(MaxProduct, RunawayMessagesStayFinite) {
  GraphBuilder b;
  const auto x = b.variables("x", 4, 2);
  b.unary(x[0], {0, 1});
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) {  // all equal, in loops: evidence counts itself
      b.factor({x[i], x[j]}, Table({2, 2}, {0, kForbidden, kForbidden, 0}));
    }
  }
  const FactorGraph graph = std::move(b).build();
  const Result r =
      max_product(graph, {.schedule = Schedule::flooding, .iterations = 5000, .damping = 0});
  EXPECT_EQ(r.status, Status::diverged);
  EXPECT_EQ(r.score, 1);
  for (const double m : r.messages.values()) EXPECT_TRUE(std::isfinite(m));
}

TEST(SumProduct, InfeasibilityIsProvedByThePotentials) {
  GraphBuilder b;
  const auto x = b.variables("x", 40, 2);
  b.factor(x, Count::at_least(40));
  b.factor({x[0], x[1]}, Table({2, 2}, {0, 0, 0, kForbidden}));
  const Result r = sum_product(std::move(b).build());
  EXPECT_EQ(r.status, Status::infeasible);
  EXPECT_NE(r.message.find("no state allowed"), std::string::npos) << r.message;
}

TEST(SumProduct, WeightsBeyondTheRangeOfTheirProductsAreHandled) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 2);
  b.unary(x[0], {0, 0.5});
  b.factor(x, LowRank({2, 2, 2}, {1e200, 2e200},
                      {{1e200, 0, 0, 1e200}, {1e200, 0, 0, 1e200}, {1e200, 1e-200, 0, 1e200}}));
  const FactorGraph graph = std::move(b).build();
  const Result want = enumerate_marginals(graph);
  for (const bool single : {false, true}) {
    const Result got = sum_product(graph, {.single_precision = single});
    ASSERT_EQ(got.status, Status::converged) << got.message;
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(got.marginals.values()[i], want.marginals.values()[i], single ? 1e-4 : 1e-9);
    }
    EXPECT_NEAR(*got.log_partition, *want.log_partition, single ? 1e-2 : 1e-9);
  }
}

TEST(SumProduct, SignedTermsThatCancelLoseNoState) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 2);
  b.unary(x[0], {0, -800});
  b.unary(x[1], {0, -900});
  b.unary(x[2], {-2000, 0});
  b.factor(x, *Parity(false).low_rank(std::vector<State>{2, 2, 2}));
  const FactorGraph graph = std::move(b).build();
  const Result want = enumerate_marginals(graph), got = sum_product(graph);
  ASSERT_EQ(got.status, Status::converged) << got.message;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(got.marginals.values()[i], want.marginals.values()[i], 1e-9);
  }
}

TEST(Decode, EachTakesTheLowestOfTiedStates) {
  Marginals beliefs;
  GraphBuilder b;
  b.variables("x", 2, 3);
  const FactorGraph g = std::move(b).build();
  beliefs = Marginals(g);
  beliefs[1][2] = 1;
  EXPECT_THAT(decode_each(g, beliefs), ::testing::ElementsAre(0, 2));
}

TEST(Decode, InTurnResolvesTiesConsistently) {
  GraphBuilder b;
  auto x = b.variables("x", 6, 2);
  for (std::size_t i = 0; i + 1 < 6; ++i) {
    b.factor({x[i], x[i + 1]}, Table{{2, 2}, {kForbidden, 0, 0, kForbidden}});
  }
  const FactorGraph g = std::move(b).build();
  EXPECT_EQ(max_product(g).score, 0);
  EXPECT_EQ(max_product(g, {.decimate = false}).score, kForbidden) << "all beliefs tie";
}

TEST(Repair, FindsAllowedAssignmentsAndNeverMakesThemWorse) {
  Rng rng(43);
  int found = 0, possible = 0;
  for (int i = 0; i < 300; ++i) {
    const FactorGraph g =
        random_graph(rng, {.min_variables = 3, .kinds = {"table", "count", "sparse"}});
    const auto start = testing::random_assignment(rng, g);
    const double before = g.score(start);
    const Repair r = repair(g, start);
    EXPECT_GE(r.score, before);
    EXPECT_EQ(r.score, g.score(r.assignment));
    EXPECT_EQ(r.feasible, r.score != kForbidden);
    ++possible;
    found += r.feasible;
  }
  EXPECT_GT(found, possible * 9 / 10);
}

}  // namespace
}  // namespace fgnn
