// What the exact method counts before it allocates, and when it looks at the clock.
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/exact/numbers.h"
#include "fgnn/potentials/potentials.h"
#include "tests/places.h"
#include "tests/reference/expect_error.h"

namespace fgnn::exact {
namespace {

using testing::expect_error;

// The automaton's numbers, followed through all joint states, are the potential.
void expect_reads(const Potential& potential, const std::vector<State>& shape) {
  const auto machine = potential.machine(shape, Reduction::each);
  ASSERT_NE(machine, nullptr);
  const std::vector<double> numbers = machine->numbers();
  ASSERT_EQ(numbers.size(), machine->entries());
  const std::size_t last = shape.size() - 1;
  std::vector<State> x(shape.size(), 0);
  do {
    std::uint32_t state = 0;
    bool dead = false;
    for (std::size_t i = 0; i < last && !dead; ++i) {
      std::uint32_t moves = 0, next = 0;
      for (std::uint32_t t = 0; t < machine->states(i); ++t) {
        const double value =
            numbers[machine->before(i, state) + machine->reads(i, x[i]) + machine->after(i, t)];
        if (value == kForbidden) continue;
        EXPECT_EQ(value, 0);
        ++moves;
        next = t;
      }
      EXPECT_LE(moves, 1u);
      dead = moves == 0;
      state = next;
    }
    const double value =
        dead ? kForbidden : numbers[machine->before(last, state) + machine->reads(last, x[last])];
    EXPECT_EQ(value, potential.score(x));
  } while (next_configuration(shape, x));
}

TEST(Automaton, NumbersBySumsAreThePotential) {
  expect_reads(Count({0, -1, 2, kForbidden, 1}), {2, 2, 2, 2, 2});
  expect_reads(Count::at_most(1), {2, 2, 2, 2});
  expect_reads(Count::at_most(0), {2, 2, 2});
  expect_reads(Count::at_least(3), {2, 2, 2, 2, 2});
  expect_reads(Count::exactly(2, {{0, 2}}), {3, 2, 3, 2});
  expect_reads(Count({0.5}, 0.5), {2, 2, 2});
  expect_reads(Parity(false), {2, 2, 2, 2});
  expect_reads(Parity(true), {2, 2});
  expect_reads(AllDifferent{}, {4, 4, 4, 4});
  expect_reads(AllDifferent{}, {3, 2, 3});
  expect_reads(AllDifferent{}, {2, 2, 2, 2});
}

TEST(Automaton, NumbersOfACountGrowWithItsLengthAndNotItsCube) {
  const std::vector<State> shape(1000, 2);
  std::vector<double> values;
  for (int k = 0; k <= 1000; ++k) values.push_back(std::sin(k));
  EXPECT_LT(Count(values).machine(shape, Reduction::each)->entries(), 10000u);
}

Problem problem_of(const FactorGraph& g, ExactTask task, std::uint64_t expand_up_to) {
  return restate(g, find_domains(g, false), task, expand_up_to, Budget("test"));
}

TEST(ExactNumbers, SharedPotentialsAreExpandedOnce) {
  GraphBuilder b;
  auto x = b.variables("x", 1000, 4);
  const auto different = b.potential(AllDifferent{});
  for (std::size_t i = 0; i + 4 <= 1000; ++i) b.factor(x.slice(i, i + 4), different);
  const FactorGraph g = std::move(b).build();
  const Problem expanded = problem_of(g, ExactTask::map, 1 << 20);
  const std::uint64_t table = 256 * sizeof(double);
  EXPECT_GE(Numbers(g, expanded).bytes(), table);
  EXPECT_LT(Numbers(g, expanded).bytes(), 2 * table);
  const Problem counters = problem_of(g, ExactTask::map, 8);
  EXPECT_LT(Numbers(g, counters).bytes(), 2 * table);
}

TEST(Exact, TheMemoryLimitCountsNumbersThatAreMade) {
  // Each of its own: nothing is shared, and 8 MiB of tables have messages of a few bytes.
  GraphBuilder b;
  auto x = b.variables("x", 20, 2);
  const std::vector<State> shape(20, 2);
  for (int i = 0; i < 2; ++i) {
    b.factor(x, LowRank(shape, {1.0, -0.25 - 0.1 * i},
                        std::vector<std::vector<double>>(20, {1.0, 1.0, 1.0, 0.5})));
  }
  const FactorGraph g = std::move(b).build();
  EXPECT_GT(exact_cost(g, ExactTask::map).bytes, 2u << 23);
  expect_error(ErrorCode::too_wide, "needs",
               [&] { exact_map(g, {.max_bytes = std::uint64_t{12} << 20}); });
}

TEST(Exact, PlansThatWouldNotFitAreRefusedBeforeTheyAreMade) {
  GraphBuilder b;
  auto x = b.variables("x", 100000, 2);
  b.factor(x, Parity(false));
  const FactorGraph g = std::move(b).build();
  expect_error(ErrorCode::too_large, "exact: needs",
               [&] { exact_map(g, {.max_bytes = std::uint64_t{16} << 20}); });
  EXPECT_EQ(exact_map(g).score, 0);
}

TEST(Exact, TheSearchForManyBestKeepsTheMemoryLimit) {
  GraphBuilder b;
  auto x = b.variables("x", 100, 2);
  for (std::size_t i = 0; i < 100; ++i) b.unary(x[i], {0.0, -1.0 - 0.01 * static_cast<double>(i)});
  const FactorGraph g = std::move(b).build();
  const ExactOptions small{.max_bytes = std::uint64_t{4} << 20};
  EXPECT_EQ(exact_map(g, small, {}, 100).solutions.size(), 100u);
  expect_error(ErrorCode::too_large, "exact: needs", [&] { exact_map(g, small, {}, 1000000); });
}

// All pairs of n binary variables: one clique of 2^n joint states.
FactorGraph clique(std::size_t n) {
  GraphBuilder b;
  auto x = b.variables("x", n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      b.factor({x[j], x[i]}, Table{{2, 2}, {0, 0.1, 0.2, std::cos(double(i * n + j))}});
    }
  }
  return std::move(b).build();
}

TEST(Exact, TheTimeLimitHoldsInsideALargeTable) {
  const FactorGraph g = clique(25);
  const Stopwatch watch;
  expect_error(ErrorCode::time_limit, "exact: the time limit was reached",
               [&] { exact_marginals(g, {.threads = 1, .time_limit = 0.1}); });
  EXPECT_LT(watch.seconds(), 0.1 + 2.0 * FGNN_PATIENCE);
}

TEST(Exact, TheTimeLimitHoldsWhilePlanning) {
  // Every variable beside every other: the rules look at all pairs of pairs.
  GraphBuilder b;
  const std::size_t n = 1500;
  auto x = b.variables("x", n, 2);
  const auto pair = b.potential(Table{{2, 2}, {0, 1, 1, 0}});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b.factor({x[j], x[i]}, pair);
  }
  const FactorGraph g = std::move(b).build();
  const Stopwatch watch;
  expect_error(ErrorCode::time_limit, "exact: the time limit was reached",
               [&] { exact_map(g, {.time_limit = 0.2, .prune = false}); });
  EXPECT_LT(watch.seconds(), 20);  // under sanitizers, too
}

}  // namespace
}  // namespace fgnn::exact
