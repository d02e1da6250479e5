#include "fgnn/infer/feasibility.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

bool has(const std::vector<Finding>& findings, Severity severity) {
  return std::ranges::any_of(findings, [&](const Finding& f) { return f.severity == severity; });
}

// With a single factor, looking at one factor at a time is the whole truth.
TEST(LocalFindings, OfASingleFactorAgreeWithEnumeration) {
  Rng rng(5);
  int infeasible = 0;
  for (const std::string& kind : testing::all_kinds()) {
    for (int i = 0; i < 200; ++i) {
      GraphBuilder builder;
      const auto states = static_cast<State>(2 + rng.below(kind == "parity" ? 1 : 2));
      const VariableArray x = builder.variables("x", 1 + rng.below(4), states);
      for (VariableId v : x) {
        std::vector<double> unary(states);
        for (double& value : unary) value = rng.uniform() < 0.4 ? kForbidden : rng.normal();
        builder.unary(v, unary);
      }
      const std::vector<VariableId> scope(x.begin(), x.end());
      builder.factor(scope,
                     testing::random_potential(rng, kind, std::vector<State>(x.size(), states)));
      const FactorGraph graph = std::move(builder).build();
      const bool truth = enumerate_map(graph).status == Status::infeasible;
      EXPECT_EQ(has(local_findings(graph), Severity::infeasible), truth) << kind << " " << i;
      infeasible += truth;
    }
  }
  EXPECT_GT(infeasible, 100);
}

TEST(LocalFindings, OfFeasibleGraphsNeverSayInfeasible) {
  Rng rng(6);
  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(has(local_findings(testing::random_graph(rng)), Severity::infeasible)) << i;
  }
}

TEST(LocalFindings, JudgeWideStructuredFactorsWithoutTheirTables) {
  GraphBuilder builder;
  const VariableArray x = builder.variables("x", 60, 2);
  builder.factor(x, Count::at_least(61));
  builder.factor(x, Parity{true});
  const auto y = builder.variables("y", 40, 39);
  builder.factor(y, AllDifferent{});
  const auto findings = local_findings(std::move(builder).build());
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].subject.substr(0, 8), "factor 0");
  EXPECT_EQ(findings[1].subject.substr(0, 8), "factor 2");
}

TEST(LocalFindings, NameNegativeSumsAndIsolatedVariables) {
  GraphBuilder builder;
  const VariableArray x = builder.variables("x", 3, 2);
  builder.factor({x[0], x[1]}, LowRank({2, 2}, {1, -1}, {{1, 1, 1, 2}, {1, 1, 1, 1}}));
  const auto findings = local_findings(std::move(builder).build());
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].severity, Severity::note);
  EXPECT_EQ(findings[0].subject, "x[2]");
  EXPECT_EQ(findings[1].severity, Severity::invalid);
}

TEST(LocalFindings, NameARunOfIsolatedVariablesOnce) {
  GraphBuilder builder;
  const VariableArray x = builder.variables("x", 1000000, 2);
  builder.variable("y", 2);
  builder.factor({x[3], x[5]}, Parity());
  const auto findings = local_findings(std::move(builder).build());
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].subject, "x[0..2]");
  EXPECT_EQ(findings[1].subject, "x[4]");
  EXPECT_EQ(findings[2].subject, "x[6..999999]");
  EXPECT_EQ(findings[3].subject, "y");
}

TEST(LocalFindings, KeepTheTimeLimit) {
  GraphBuilder builder;
  const VariableArray x = builder.variables("x", 1500, 1500);
  builder.factor(x, AllDifferent{});
  const FactorGraph graph = std::move(builder).build();
  EXPECT_TRUE(local_findings(graph).empty());
  testing::expect_error(ErrorCode::time_limit, "check: the time limit was reached",
                        [&] { local_findings(graph, Deadline(1e-9)); });
}

TEST(LocalFindings, SampleLowRankSumsThatAreTooLargeToVisit) {
  constexpr std::size_t kArity = 24;
  const std::vector<State> shape(kArity, 2);
  const auto negative = [&](double lambda) {
    GraphBuilder builder;
    const VariableArray x = builder.variables("x", kArity, 2);
    builder.factor(x, LowRank(shape, {lambda}, std::vector<std::vector<double>>(kArity, {1, 1})));
    return local_findings(std::move(builder).build()).at(0).severity;
  };
  EXPECT_EQ(negative(-1), Severity::invalid);
  EXPECT_EQ(negative(1), Severity::note);
}

}  // namespace
}  // namespace fgnn
