// Conditioning on a cut set: the answers of one elimination, with less memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/methods.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;
using ::testing::HasSubstr;

constexpr std::uint64_t kMany = 1 << 20;

void expect_marginals(const Result& got, const Result& want, double tolerance) {
  ASSERT_EQ(got.status, want.status);
  if (want.status == Status::infeasible) return;
  EXPECT_NEAR(*got.log_partition, *want.log_partition, tolerance);
  ASSERT_EQ(got.marginals.size(), want.marginals.size());
  for (std::size_t i = 0; i < want.marginals.values().size(); ++i) {
    EXPECT_NEAR(got.marginals.values()[i], want.marginals.values()[i], tolerance);
  }
}

// A share of the pairs forbids that both are in state 1.
FactorGraph grid(Rng& rng, std::size_t side, double forbidden) {
  GraphBuilder b;
  auto x = b.variables("x", side * side, 2);
  const auto pair = [&] {
    std::vector<double> values;
    for (int i = 0; i < 4; ++i) {
      values.push_back(i == 3 && rng.uniform() < forbidden ? kForbidden : rng.uniform(-1, 1));
    }
    return Table{{2, 2}, values};
  };
  for (std::size_t i = 0; i < side * side; ++i) {
    b.unary(x[i], {0, rng.uniform(-0.5, 0.5)});
    if (i % side + 1 < side) b.factor({x[i], x[i + 1]}, pair());
    if (i + side < side * side) b.factor({x[i], x[i + side]}, pair());
  }
  return std::move(b).build();
}

// All kinds of potentials on random triples and pairs; `strange`: a share of those that may forbid.
FactorGraph wide_graph(Rng& rng, State states, double strange) {
  constexpr std::size_t kVariables = 26, kFactors = 40;
  GraphBuilder b;
  auto x = b.variables("x", kVariables, states);
  for (std::size_t c = 0; c < kFactors; ++c) {
    std::set<std::size_t> members;
    while (members.size() < 2 + c % 2) members.insert(rng.below(kVariables));
    std::vector<VariableId> scope;
    for (std::size_t i : members) scope.push_back(x[i]);
    const std::vector<State> shape(scope.size(), states);
    const auto& kinds = testing::all_kinds();
    if (rng.uniform() < strange) {
      b.factor(std::span<const VariableId>(scope),
               testing::random_potential(rng, kinds[rng.below(kinds.size())], shape));
      continue;
    }
    std::vector<double> values(configurations(shape));
    for (double& value : values) value = rng.uniform(-1, 1);
    b.factor(std::span<const VariableId>(scope), Table{shape, values});
  }
  return std::move(b).build();
}

// Solves with a share of the memory that one elimination would take; nothing where that is too
// little to plan with.
template <class Solve>
std::optional<Result> with_share(const FactorGraph& g, ExactTask task, double share, Solve solve) {
  ExactOptions options;
  options.threads = 1;
  const double bytes = static_cast<double>(exact_cost(g, task, options).bytes);
  options.max_bytes = static_cast<std::uint64_t>(share * bytes);
  options.max_branches = 128;
  try {
    return solve(options);
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::too_wide || error.code() == ErrorCode::too_large);
    return std::nullopt;
  }
}

// Enumeration could not visit graphs that are wide enough to be conditioned on; it judges the
// eliminations of exact_test.cc, which judge these.
TEST(Conditioning, EqualsOneEliminationOfRandomGraphs) {
  Rng rng(31);
  int conditioned = 0, infeasible = 0;
  for (int i = 0; i < 20; ++i) {
    const FactorGraph g = wide_graph(rng, 2 + static_cast<State>(i % 2), i % 5 == 0 ? 0.5 : 0.1);
    const double share = 0.4 + 0.1 * (i % 5);
    const auto sum = with_share(g, ExactTask::marginals, share,
                                [&](const ExactOptions& o) { return exact_marginals(g, o); });
    if (sum) expect_marginals(*sum, exact_marginals(g), 1e-9);
    const auto map = with_share(g, ExactTask::map, share,
                                [&](const ExactOptions& o) { return exact_map(g, o); });
    const Result best = exact_map(g);
    infeasible += !best.feasible();
    if (map) {
      ASSERT_EQ(map->status, best.status);
      if (best.feasible()) {
        EXPECT_NEAR(map->score, best.score, 1e-9);
      }
    }
    conditioned += sum && sum->message.find("conditioned") == 0;
    conditioned += map && map->message.find("conditioned") == 0;
  }
  EXPECT_GT(conditioned, 5);
  EXPECT_GT(infeasible, 0);
}

TEST(Conditioning, EqualsOneEliminationOfGrids) {
  Rng rng(32);
  for (const double forbidden : {0.0, 0.3}) {
    const FactorGraph g = grid(rng, 15, forbidden);
    const ExactOptions narrow{.max_bytes = 1400 << 10, .max_branches = kMany, .threads = 1};
    const Result sum = exact_marginals(g, narrow), map = exact_map(g, narrow);
    EXPECT_THAT(sum.message, HasSubstr("conditioned on"));
    EXPECT_THAT(map.message, HasSubstr("conditioned on"));
    expect_marginals(sum, exact_marginals(g), 1e-9);
    const Result whole = exact_map(g);
    ASSERT_EQ(map.status, whole.status);
    EXPECT_NEAR(map.score, whole.score, 1e-9);
    EXPECT_EQ(map.bound, map.score);
  }
}

TEST(Conditioning, ThreadsDoNotChangeTheAnswer) {
  Rng rng(33);
  const FactorGraph g = grid(rng, 15, 0.1);
  ExactOptions narrow{.max_bytes = 4 << 20, .max_branches = kMany, .threads = 1};
  const Result sum = exact_marginals(g, narrow), map = exact_map(g, narrow);
  EXPECT_THAT(sum.message, HasSubstr("conditioned on"));
  narrow.threads = 3;
  const Result same = exact_marginals(g, narrow);
  EXPECT_EQ(*sum.log_partition, *same.log_partition);
  expect_marginals(same, sum, 1e-13);
  EXPECT_EQ(exact_map(g, narrow).assignment, map.assignment);
}

TEST(Conditioning, MapByNarrowBranchesEqualsOneElimination) {
  Rng rng(34);
  const FactorGraph g = grid(rng, 18, 0);
  EXPECT_GT(exact_cost(g, ExactTask::map).operations, 3e7);
  const Result whole = exact_map(g), narrow = exact_map(g, {.max_branches = kMany});
  EXPECT_NEAR(narrow.score, whole.score, 1e-9);
  EXPECT_EQ(narrow.status, Status::exact);
  EXPECT_EQ(narrow.options.used_as<ExactOptions>()->max_bytes, ExactOptions().max_bytes);
}

TEST(Conditioning, PlansServeOtherGraphsOfTheStructure) {
  Rng rng(35);
  const FactorGraph one = grid(rng, 15, 0), two = grid(rng, 15, 0);
  const ExactOptions narrow{
      .max_bytes = 1400 << 10, .max_branches = kMany, .threads = 1, .prune = false};
  const ExactPlan plan(one, ExactTask::marginals, narrow);
  EXPECT_GT(plan.cost().conditioned, 0u);
  EXPECT_EQ(plan.cost().branches, std::exp2(plan.cost().conditioned));
  EXPECT_LE(plan.cost().bytes, narrow.max_bytes);
  expect_marginals(plan.marginals(two), exact_marginals(two), 1e-9);
}

TEST(Conditioning, InfeasibleModelsAreProved) {
  // An odd number of changes around every cycle of a torus with odd sides, beside free variables.
  GraphBuilder b;
  const std::size_t side = 11;
  auto x = b.variables("x", side * side, 2);
  const Table differ{{2, 2}, {kForbidden, 0, 0, kForbidden}};
  for (std::size_t i = 0; i < side * side; ++i) {
    const std::size_t row = i / side, column = i % side;
    b.factor({x[i], x[row * side + (column + 1) % side]}, differ);
    b.factor({x[i], x[(row + 1) % side * side + column]}, differ);
  }
  const FactorGraph g = std::move(b).build();
  const ExactOptions narrow{.max_bytes = 3 << 19, .max_branches = kMany, .prune = false};
  EXPECT_GT(exact_cost(g, ExactTask::map, narrow).conditioned, 0u);
  EXPECT_EQ(exact_map(g, narrow).status, Status::infeasible);
  EXPECT_EQ(exact_marginals(g, narrow).status, Status::infeasible);
}

TEST(Conditioning, IsRefusedWhereItWouldNotEnd) {
  Rng rng(36);
  const FactorGraph g = grid(rng, 40, 0);
  expect_error(ErrorCode::too_wide, "--memory",
               [&] { exact_map(g, {.max_bytes = 4 << 20, .max_branches = 16}); });
  const FactorGraph small = grid(rng, 15, 0);
  expect_error(ErrorCode::too_wide, "induced width",
               [&] { exact_map(small, {.max_bytes = 300 << 10, .max_branches = kMany}, {}, 2); });
  expect_error(ErrorCode::usage, "branches", [&] { exact_map(small, {.max_branches = 0}); });
}

TEST(Conditioning, TheTimeLimitHoldsAmongBranches) {
  Rng rng(37);
  const FactorGraph g = grid(rng, 26, 0);
  expect_error(ErrorCode::time_limit, "exact: the time limit was reached", [&] {
    exact_marginals(g, {.max_bytes = 4 << 20, .max_branches = kMany, .time_limit = 0.5});
  });
}

TEST(Conditioning, IsPartOfTheMethodByName) {
  Rng rng(38);
  const FactorGraph g = grid(rng, 15, 0);
  MethodOptions options;
  options.max_bytes = 1400 << 10;
  const Method& method = find_method(Query::infer, "exact");
  EXPECT_THAT(method.solve(g, options, {}).message, HasSubstr("conditioned on"));
  options.branches = 1;
  expect_error(ErrorCode::too_wide, "needs", [&] { method.solve(g, options, {}); });
}

}  // namespace
}  // namespace fgnn
