// A time limit holds inside single steps too, on factors that take seconds each.
#include <gtest/gtest.h>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/core/thread_time.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/methods.h"
#include "fgnn/potentials/potentials.h"
#include "tests/places.h"

namespace fgnn {
namespace {

constexpr double kLimit = 0.3;
// What may come on top: one look at all numbers of the largest factor, a few times.
constexpr double kOnTop = 1.0 * FGNN_PATIENCE;

std::vector<double> random_numbers(Rng& rng, std::size_t n, double low = -2, double high = 2) {
  std::vector<double> numbers(n);
  for (double& number : numbers) number = rng.uniform(low, high);
  return numbers;
}

// `count` variables with random unaries.
std::vector<VariableId> variables(GraphBuilder& b, Rng& rng, std::size_t count, State states) {
  std::vector<VariableId> ids;
  for (const VariableId v : b.variables("x", count, states)) {
    ids.push_back(v);
    b.unary(v, random_numbers(rng, states));
  }
  return ids;
}

FactorGraph one_large_table() {
  Rng rng(1);
  GraphBuilder b;
  const auto x = variables(b, rng, 21, 2);
  b.factor(x, Table(std::vector<State>(21, 2), random_numbers(rng, 1 << 21)));
  b.factor({x[0], x[1]}, Table({2, 2}, {0, 1, 1, 0}));
  return std::move(b).build();
}

// Its quadratic problems have thousands of coordinates.
FactorGraph many_states() {
  Rng rng(2);
  constexpr State kStates = 1000;
  GraphBuilder b;
  const auto x = variables(b, rng, 3, kStates);
  const auto id = b.potential(Table({kStates, kStates}, random_numbers(rng, kStates * kStates)));
  for (const auto& [u, v] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 0)}) {
    b.factor(std::vector{x[static_cast<std::size_t>(u)], x[static_cast<std::size_t>(v)]}, id);
  }
  return std::move(b).build();
}

FactorGraph long_all_different() {
  Rng rng(3);
  GraphBuilder b;
  const auto x = variables(b, rng, 500, 500);
  b.factor(x, AllDifferent());
  b.factor({x[0], x[1]}, AllDifferent());
  return std::move(b).build();
}

// MAP methods need its table, which takes a minute to make.
FactorGraph high_rank() {
  Rng rng(4);
  constexpr std::size_t kRank = 1000;
  GraphBuilder b;
  const auto x = variables(b, rng, 20, 2);
  std::vector<std::vector<double>> weights(20);
  for (auto& matrix : weights) matrix = random_numbers(rng, 2 * kRank, 0.5, 1);
  b.factor(x, LowRank(std::vector<State>(20, 2), std::vector<double>(kRank, 1.0), weights));
  b.factor({x[0], x[1]}, Table({2, 2}, {0, 1, 1, 0}));
  return std::move(b).build();
}

// An iteration takes seconds though no factor does.
FactorGraph one_table_in_many_places() {
  Rng rng(5);
  GraphBuilder b;
  const auto x = variables(b, rng, 40, 2);
  const auto id = b.potential(Table(std::vector<State>(16, 2), random_numbers(rng, 1 << 16)));
  for (int i = 0; i < 2000; ++i) {
    auto scope = x;
    rng.shuffle(scope);
    scope.resize(16);
    b.factor(scope, id);
  }
  return std::move(b).build();
}

void expect_in_time(const FactorGraph& graph, const std::vector<std::string>& names, Query query) {
  for (const std::string& name : names) {
    MethodOptions options;
    options.time_limit = kLimit;
    options.threads = 1;
    const ThreadStopwatch watch;
    try {
      const Result r = find_method(query, name).solve(graph, options, {});
      EXPECT_TRUE(r.status == Status::time_limit || r.status == Status::exact) << name;
      EXPECT_GE(r.bound, r.score) << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::time_limit) << name << ": " << error.what();
    }
    EXPECT_LT(watch.seconds(), kLimit + kOnTop) << name;
  }
}

TEST(TimeLimit, HoldsOnOneLargeTable) {
  expect_in_time(one_large_table(), {"ad3", "ad3-exact"}, Query::map);
}

TEST(TimeLimit, HoldsOnPairsOfManyStates) {
  expect_in_time(many_states(), {"ad3", "ad3-exact"}, Query::map);
}

TEST(TimeLimit, HoldsOnALongAllDifferent) {
  expect_in_time(long_all_different(), {"ad3", "ad3-exact"}, Query::map);
}

TEST(TimeLimit, HoldsWhileTablesAreMade) {
  expect_in_time(high_rank(), {"ad3", "ad3-exact", "max-product", "mplp", "exact"}, Query::map);
}

TEST(TimeLimit, HoldsWithinAnIteration) {
  const FactorGraph graph = one_table_in_many_places();
  expect_in_time(graph, {"max-product", "mplp", "ad3"}, Query::map);
  expect_in_time(graph, {"sum-product"}, Query::infer);
}

TEST(TimeLimit, HoldsForBoundsAndSamples) {
  const FactorGraph graph = one_table_in_many_places();
  expect_in_time(graph, {"trw", "mean-field", "mini-bucket", "join-graph", "gibbs"}, Query::infer);
  expect_in_time(graph, {"mini-bucket"}, Query::map);
}

}  // namespace
}  // namespace fgnn
