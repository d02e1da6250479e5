#include "fgnn/experiments/wide/models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "fgnn/potentials/table.h"
#include "tests/reference/expect_error.h"

namespace fgnn::wide {
namespace {

using testing::expect_error;

template <class Options>
void expect_same_for_the_same_seed(const Options& options) {
  EXPECT_EQ(instance(options, Rng(3, 5)), instance(options, Rng(3, 5)));
  EXPECT_FALSE(instance(options, Rng(3, 5)) == instance(options, Rng(3, 6)));
  EXPECT_FALSE(instance(options, Rng(3, 5)) == instance(options, Rng(4, 5)));
}

TEST(WideModels, AreTheSameForTheSameSeedAndNumber) {
  expect_same_for_the_same_seed(GridOptions());
  expect_same_for_the_same_seed(WcspOptions());
  expect_same_for_the_same_seed(NoisyOrOptions());
  expect_same_for_the_same_seed(CnfOptions());
}

TEST(WideModels, GridsJoinNeighboursByPottsCouplings) {
  for (const Couplings sign : {Couplings::mixed, Couplings::attractive, Couplings::repulsive}) {
    const GridOptions options{
        .rows = 4, .columns = 7, .states = 3, .strength = 1.5, .field = 0.5, .couplings = sign};
    const FactorGraph g = instance(options, Rng(1));
    ASSERT_EQ(g.num_variables(), 28u);
    ASSERT_EQ(g.num_factors(), 4u * 6 + 3 * 7);
    for (const double value : g.unaries()) EXPECT_LE(std::abs(value), 0.5);
    std::set<bool> attracts;
    std::set<std::pair<VariableId, VariableId>> pairs;
    for (FactorId c = 0; c < g.num_factors(); ++c) {
      const auto scope = g.scope(c);
      EXPECT_TRUE(pairs.insert({scope[0], scope[1]}).second);
      const bool right = scope[1] == scope[0] + 1 && scope[1] % 7 != 0;
      EXPECT_TRUE(right || scope[1] == scope[0] + 7);
      const Table table = expand(g, c);
      const double coupling = table.values()[0];
      EXPECT_LE(std::abs(coupling), 1.5);
      attracts.insert(coupling > 0);
      for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(table.values()[i], i % 4 == 0 ? coupling : 0);
    }
    EXPECT_EQ(attracts.contains(true), sign != Couplings::repulsive);
    EXPECT_EQ(attracts.contains(false), sign != Couplings::attractive);
  }
}

TEST(WideModels, WeightedCspsHaveTheShareOfPairsAndCostsWithinTheirRange) {
  const WcspOptions options{
      .variables = 20, .states = 3, .density = 0.25, .tightness = 0.5, .costs = 7};
  const FactorGraph g = instance(options, Rng(2));
  EXPECT_EQ(g.num_variables(), 20u);
  ASSERT_EQ(g.num_factors(), 48u);  // a quarter of 190, rounded
  std::set<std::pair<VariableId, VariableId>> pairs;
  std::set<double> costs;
  for (FactorId c = 0; c < g.num_factors(); ++c) {
    EXPECT_TRUE(pairs.insert({g.scope(c)[0], g.scope(c)[1]}).second);
    const Table table = expand(g, c);
    for (const double value : table.values()) costs.insert(-value);
  }
  EXPECT_EQ(costs, (std::set<double>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(instance({.variables = 6, .density = 1}, Rng(0)).num_factors(), 15u);
  EXPECT_EQ(instance({.variables = 6, .density = 0}, Rng(0)).num_factors(), 0u);
}

TEST(WideModels, HardConstraintsLeaveThePlantedAssignment) {
  const WcspOptions options{.variables = 8, .states = 3, .density = 1, .tightness = 1, .hard = 1};
  for (std::uint64_t i = 0; i < 20; ++i) {
    const FactorGraph g = instance(options, Rng(5, i));
    const Result best = exact_map(g, {}, {}, 2);
    EXPECT_TRUE(best.feasible());
    EXPECT_EQ(best.solutions.size(), 1u) << "everything else is forbidden";
  }
}

// Without findings, what is left are priors and conditional probabilities.
TEST(WideModels, NoisyOrNetworksAreDistributions) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    NoisyOrOptions options{.diseases = 8, .findings = 0, .parents = 4, .layers = 3};
    EXPECT_NEAR(*exact_marginals(instance(options, Rng(1, i))).log_partition, 0, 1e-9);
    // A finding is either true or not.
    for (const int layers : {2, 3}) {
      options.layers = layers;
      options.findings = 1;
      options.positive = 0;
      const double no = *exact_marginals(instance(options, Rng(1, i))).log_partition;
      options.positive = 1;
      const double yes = *exact_marginals(instance(options, Rng(1, i))).log_partition;
      EXPECT_NEAR(std::exp(no) + std::exp(yes), 1, 1e-9);
      EXPECT_LT(yes, no) << "diseases are rare";
    }
  }
}

TEST(WideModels, NoisyOrFactorsAreTheSameAsTablesAndAsRankOneTerms) {
  NoisyOrOptions options{.diseases = 9, .findings = 12, .parents = 5, .positive = 0.6};
  for (std::uint64_t i = 0; i < 5; ++i) {
    options.form = Form::table;
    const FactorGraph tables = instance(options, Rng(2, i));
    options.form = Form::low_rank;
    const FactorGraph sums = instance(options, Rng(2, i));
    std::vector<State> x(9, 0);
    do {
      EXPECT_NEAR(tables.score(x), sums.score(x), 1e-9);
    } while (next_configuration(tables.states(), x));
  }
}

TEST(WideModels, WithoutALeakAPositiveFindingNeedsACause) {
  const NoisyOrOptions options{.diseases = 6, .findings = 1, .leak = 0, .positive = 1};
  const FactorGraph g = instance(options, Rng(3));
  EXPECT_EQ(g.score(std::vector<State>(6, 0)), kForbidden);
  EXPECT_NE(g.score(std::vector<State>(6, 1)), kForbidden);
}

TEST(WideModels, ClausesForbidOneStateAndPlantedOnesAreSatisfiable) {
  CnfOptions options{.variables = 12, .ratio = 9};
  const FactorGraph g = instance(options, Rng(0));
  EXPECT_EQ(g.num_factors(), 108u);
  for (FactorId c = 0; c < g.num_factors(); ++c) {
    ASSERT_EQ(g.arity(c), 3u);
    const auto scope = g.scope(c);
    EXPECT_EQ(std::set<VariableId>(scope.begin(), scope.end()).size(), 3u);
    const Table table = expand(g, c);
    EXPECT_EQ(std::ranges::count(table.values(), kForbidden), 1);
  }
  int infeasible = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    options.satisfiable = false;
    infeasible += !enumerate_map(instance(options, Rng(1, i))).feasible();
    options.satisfiable = true;
    EXPECT_TRUE(enumerate_map(instance(options, Rng(1, i))).feasible());
  }
  EXPECT_GT(infeasible, 5) << "nine clauses a variable are more than most can satisfy";
}

TEST(WideModels, RefuseOptionsThatMakeNoSense) {
  const auto refuse = [](const auto& options, const std::string& text) {
    expect_error(ErrorCode::usage, text, [&] { instance(options, Rng(0)); });
  };
  refuse(GridOptions{.rows = 0}, "--rows: must be between 1 and");
  refuse(GridOptions{.states = 1}, "--states: must be between 2 and");
  refuse(GridOptions{.strength = NAN}, "--strength and --field");
  refuse(WcspOptions{.density = 1.5}, "--density: must be between 0 and 1, not 1.5");
  refuse(WcspOptions{.tightness = NAN}, "--tightness");
  refuse(NoisyOrOptions{.layers = 4}, "--layers: must be 2 or 3");
  refuse(NoisyOrOptions{.leak = 1}, "--leak");
  refuse(CnfOptions{.variables = 2}, "--variables: must be between 3 and");
  refuse(CnfOptions{.ratio = -1}, "--ratio");
}

}  // namespace
}  // namespace fgnn::wide
