#include "fgnn/infer/methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/finish.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;

TEST(Methods, AreDescribedAndNamedOncePerTask) {
  std::set<std::pair<Query, std::string>> seen;
  for (const Method& method : methods()) {
    EXPECT_TRUE(seen.emplace(method.query, method.name).second) << method.name;
    EXPECT_FALSE(method.description.empty() || method.cost.empty() || method.guarantee.empty());
    for (const std::string& setting : method.settings)
      EXPECT_TRUE(method_settings().contains(setting));
  }
}

TEST(Methods, AnswerTheirTask) {
  Rng rng(1);
  const FactorGraph graph = testing::random_graph(rng);
  for (const Method& method : methods()) {
    const Result result = method.solve(graph, {}, {});
    EXPECT_EQ(result.method, method.name);
    if (method.query == Query::infer) {
      EXPECT_FALSE(result.marginals.empty()) << method.name;
    } else {
      EXPECT_FALSE(result.assignment.empty()) << method.name;
    }
  }
}

TEST(Methods, MapScoresAreBelowTheOptimumAndBoundsAbove) {
  Rng rng(2);
  for (int trial = 0; trial < 60; ++trial) {
    const FactorGraph graph = testing::random_graph(rng);
    const double optimum = enumerate_map(graph).score;
    for (const Method& method : methods()) {
      if (method.query != Query::map) continue;
      const Result result = method.solve(graph, {}, {});
      if (result.status == Status::infeasible) {
        ADD_FAILURE() << method.name << " calls a feasible graph infeasible";
        continue;
      }
      EXPECT_LE(result.score, optimum + 1e-9) << method.name;
      EXPECT_GE(result.bound, optimum - 1e-6) << method.name;
      EXPECT_NEAR(graph.score(result.assignment), result.score, 1e-9) << method.name;
      if (result.status != Status::exact) continue;
      EXPECT_NEAR(result.score, optimum, 1e-5) << method.name;
    }
  }
}

TEST(Methods, LowRankEqualsSumProductOnExpandedTables) {
  Rng rng(3);
  testing::RandomGraphOptions random;
  random.kinds = {"table", "count", "parity", "low-rank", "all-different"};
  MethodOptions options;
  options.iterations = 10;
  options.damping = 0.3;
  for (int trial = 0; trial < 100; ++trial) {
    const FactorGraph graph = testing::random_graph(rng, random);
    const Result low = find_method(Query::infer, "low-rank").solve(graph, options, {});
    const Result table =
        find_method(Query::infer, "sum-product").solve(testing::with_tables(graph), options, {});
    ASSERT_EQ(low.status, table.status);
    for (std::size_t i = 0; i < low.marginals.values().size(); ++i) {
      EXPECT_NEAR(low.marginals.values()[i], table.marginals.values()[i], 1e-9);
    }
    EXPECT_NE(low.message.find("factors were replaced"), std::string::npos);
  }
}

TEST(Methods, UnknownNamesGetTheNearestOne) {
  EXPECT_EQ(find_method(Query::map, "exact").query, Query::map);
  expect_error(ErrorCode::usage, "did you mean 'enumerate'?",
               [] { find_method(Query::infer, "enumerat"); });
}

TEST(Methods, RefuseSettingsThatDoNotApply) {
  MethodOptions options;
  options.damping = 0.5;
  expect_error(ErrorCode::usage, "does not apply to method 'exact'",
               [&] { find_method(Query::map, "exact").check(options); });
  EXPECT_NO_THROW(find_method(Query::map, "max-product").check(options));
}

TEST(MethodVariants, CarryTheirOwnSettings) {
  const auto variants =
      parse_variants(Query::map, "exact,max-product:damping=0.5,iterations=50,mplp", {});
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[1].label, "max-product:damping=0.5,iterations=50");
  EXPECT_EQ(variants[1].options.damping, 0.5);
  EXPECT_EQ(variants[1].options.iterations, 50u);
  EXPECT_FALSE(variants[2].options.iterations);
}

TEST(MethodVariants, CommonSettingsGoToThoseThatTakeThem) {
  MethodOptions common;
  common.damping = 0.25;
  common.seed = 9;
  const auto variants = parse_variants(Query::map, "exact,max-product", common);
  EXPECT_FALSE(variants[0].options.damping);
  EXPECT_EQ(variants[1].options.damping, 0.25);
  EXPECT_EQ(variants[0].options.seed, 9u);
  expect_error(ErrorCode::usage, "applies to none of the methods",
               [&] { parse_variants(Query::map, "exact", common); });
}

TEST(MethodVariants, MistakesAreNamed) {
  const auto refused = [](const char* text, const char* why) {
    expect_error(ErrorCode::usage, why, [&] { parse_variants(Query::map, text, {}); });
  };
  refused("exat", "did you mean 'exact'?");
  refused("", "there is no such method");
  refused("mplp:cluster=3", "did you mean 'clusters'?");
  refused("mplp:clusters", "is not SETTING=VALUE");
  refused("mplp:clusters=some", "clusters: 'some' is not a whole number");
  refused("mplp:damping=0.5", "does not apply to method 'mplp'");
  refused("max-product:schedule=flood", "'flood' is not a schedule");
  refused("max-product:rounding=up", "'up' is not a rounding");
}

TEST(Methods, RefuseBeforeTheirMessagesExceedTheMemory) {
  GraphBuilder builder;
  const VariableArray x = builder.variables("x", 20000, 2);
  builder.factor(x, Count::at_most(10000));
  const FactorGraph graph = std::move(builder).build();
  MethodOptions options;
  options.max_bytes = 1 << 20;
  for (const char* method : {"max-product", "mplp", "ad3", "ad3-exact"}) {
    expect_error(ErrorCode::too_large, "messages: needs",
                 [&] { find_method(Query::map, method).solve(graph, options, {}); });
  }
  options.max_bytes = 64 << 20;  // AD3 has no use for a table of variables by counts
  EXPECT_EQ(find_method(Query::map, "ad3").solve(graph, options, {}).score, 0);
  expect_error(ErrorCode::too_large, "messages: needs",
               [&] { find_method(Query::map, "max-product").solve(graph, options, {}); });
}

// A few lines of text that stand for a table of 128 MiB.
TEST(Methods, RefuseBeforeTheTablesThatTheyMakeExceedTheMemory) {
  const std::vector<State> shape(24, 2);
  const std::vector<std::vector<double>> weights(24, std::vector<double>{0.5, 1});
  const std::vector<std::shared_ptr<const Potential>> potentials{
      std::make_shared<LowRank>(shape, std::vector<double>{1}, weights),
      std::make_shared<MaxRankOne>(shape, std::vector<std::vector<double>>{std::vector(48, 0.5)}),
      std::make_shared<Sparse>(shape, 1.0, std::vector<State>(24, 1), std::vector<double>{0.5})};
  const auto refused = [](const FactorGraph& graph, Query query, const char* method) {
    MethodOptions options;
    options.max_bytes = 64 << 20;
    try {
      find_method(query, method).solve(graph, options, {});
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::too_large) << error.what();
      return true;
    }
  };
  for (const auto& potential : potentials) {
    GraphBuilder builder;
    builder.factor(builder.variables("x", 24, 2), potential);
    const FactorGraph graph = std::move(builder).build();
    const std::string_view kind = potential->kind();
    EXPECT_EQ(refused(graph, Query::infer, "sum-product"), kind != "low-rank") << kind;
    EXPECT_EQ(refused(graph, Query::map, "max-product"), kind != "max-rank-1") << kind;
    EXPECT_EQ(refused(graph, Query::map, "mplp"), kind != "max-rank-1") << kind;
    EXPECT_EQ(refused(graph, Query::map, "ad3"), kind == "low-rank") << kind;
  }
}

// In a process of its own, since a method that was added stays.
TEST(MethodsDeathTest, MayBeAddedByAProgram) {
  const auto adds_and_solves = [] {
    add_method(
        {.name = "zeros",
         .query = Query::map,
         .description = "every variable in its first state",
         .cost = "linear",
         .guarantee = "none",
         .settings = {"iterations"},
         .run = [](const FactorGraph& graph, const MethodOptions&, const Evidence& evidence) {
           Result result;
           result.method = "zeros";
           result.status = Status::converged;
           result.assignment.assign(graph.num_variables(), 0);
           return finish_map(graph.given(evidence), std::move(result));
         }});
    Rng rng(1);
    const FactorGraph graph = testing::random_graph(rng);
    const auto variants = parse_variants(Query::map, "zeros:iterations=3", {});
    const Result r = variants[0].method->solve(graph, variants[0].options, {});
    const bool listed =
        std::ranges::any_of(methods(), [](const Method& method) { return method.name == "zeros"; });
    try {
      add_method({.name = "exact", .query = Query::map});
    } catch (const Error& error) {
      std::exit(listed && r.method == "zeros" && error.code() == ErrorCode::usage ? 0 : 1);
    }
    std::exit(2);
  };
  EXPECT_EXIT(adds_and_solves(), ::testing::ExitedWithCode(0), "");
}

// "fgnn:…" is known although nothing was called before.
TEST(Methods, KnowNetworksByThemselves) {
  expect_error(ErrorCode::io, "no-such-network",
               [] { find_method(Query::map, "fgnn:no-such-network"); });
}

}  // namespace
}  // namespace fgnn
