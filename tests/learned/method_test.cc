#include "fgnn/learned/method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "fgnn/core/random.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/model.h"
#include "fgnn/neuralize/compile.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/table.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::learned {
namespace {

using testing::expect_error;

const synthetic::SyntheticTask& d3() {
  static const synthetic::SyntheticTask task{synthetic::SyntheticOptions{}};
  return task;
}

// The same graph with budgets as tables, and every scope reversed.
FactorGraph written_otherwise(const synthetic::SyntheticInstance& instance) {
  GraphBuilder b;
  const auto x = b.variables("x", instance.unary.size(), 2);
  for (VariableId v : x) b.unary(v, instance.unary[v]);
  for (const auto& p : instance.pairs) {
    b.factor({p.second, p.first},
             Table({2, 2}, {p.values[0], p.values[2], p.values[1], p.values[3]}));
  }
  for (const auto& budget : instance.budgets) {
    const std::vector<VariableId> scope(budget.scope.rbegin(), budget.scope.rend());
    const std::vector<State> shape(scope.size(), 2);
    std::vector<double> values(std::size_t{1} << scope.size());
    Count::at_most(budget.most).fill(shape, values);
    b.factor(std::span<const VariableId>(scope), Table(shape, values));
  }
  return std::move(b).build();
}

void expect_same_features(const network::Batch& a, const network::Batch& b) {
  EXPECT_EQ(a.variable, b.variable);
  ASSERT_EQ(a.relations.size(), b.relations.size());
  for (std::size_t r = 0; r < a.relations.size(); ++r) {
    EXPECT_EQ(a.relations[r].factor, b.relations[r].factor);
    EXPECT_EQ(a.structure->relations()[r].variable, b.structure->relations()[r].variable);
    EXPECT_EQ(a.structure->relations()[r].kind, b.structure->relations()[r].kind);
  }
}

TEST(LearnedMap, GraphsHaveTheFeaturesOfTheTaskHoweverTheyAreWritten) {
  const auto instance = d3().numbers(tasks::Stream::test, 0);
  const auto wanted = d3().features(instance);
  expect_same_features(features_of(instance.graph(), d3().schema()), wanted);
  expect_same_features(features_of(written_otherwise(instance), d3().schema()), wanted);
}

TEST(LearnedMap, WhatSaysNothingIsPassedOver) {
  GraphBuilder b;
  const auto x = b.variables("x", 12, 2);
  b.factor(x.slice(0, 12), Count::at_most(12));  // wider than the network knows, but allows all
  b.factor({x[0], x[1]}, Table({2, 2}, {0, 0, 0, 0}));
  const auto batch = features_of(std::move(b).build(), d3().schema());
  EXPECT_EQ(batch.structure->relations()[0].factors, 1u);
  EXPECT_EQ(batch.structure->relations()[1].factors, 0u);
}

TEST(LearnedMap, OtherFamiliesAreRefusedByName) {
  const auto refused = [](const std::string& text, auto add) {
    GraphBuilder b;
    const auto x = b.variables("x", 12, 2);
    add(b, x);
    const FactorGraph graph = std::move(b).build();
    expect_error(ErrorCode::unsupported, text, [&] { features_of(graph, d3().schema()); });
  };
  refused("is a wider budget than it learned",
          [](auto& b, const auto& x) { b.factor(x.slice(0, 10), Count::at_most(3)); });
  refused("is neither a pair nor a budget",
          [](auto& b, const auto& x) { b.factor(x.slice(0, 5), Count::at_least(3)); });
  refused("forbids a pair of states", [](auto& b, const auto& x) {
    b.factor({x[0], x[1]}, Table({2, 2}, {kForbidden, 0, 0, 0}));
  });
}

// Untrained, so most answers break budgets before they are repaired.
TEST(LearnedMap, RepairedAnswersNeverBreakABudget) {
  const testing::Scratch scratch;
  network::Description d =
      network::Description::parse(R"json({"network": "FGNN(8) - Out(2)"})json", "test");
  d.schema = d3().schema();
  const auto file = scratch.path() / "random.safetensors";
  network::save_model(file, network::Model(d, 1));
  const Method method = learned_method(Query::map, file.string());
  MethodOptions plain;
  plain.rounding = Rounding::argmax;
  int broken = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const FactorGraph graph = d3().numbers(tasks::Stream::test, i).graph();
    broken += method.solve(graph, plain, {}).score == kForbidden;
    EXPECT_NE(method.solve(graph, {}, {}).score, kForbidden) << i;
  }
  EXPECT_GT(broken, 10) << "nothing to repair: the test says little";
}

// A network of D3's family with these weights, all alike.
Method method_with_weights(const testing::Scratch& scratch, std::optional<double> weight) {
  network::Description d =
      network::Description::parse(R"json({"network": "2*FGNN(8) - Out(2)"})json", "test");
  d.schema = d3().schema();
  network::Model model(d, 1);
  for (auto& numbers : model.weights) {
    if (weight) std::fill(numbers.begin(), numbers.end(), *weight);
  }
  const auto file = scratch.path() / "made.safetensors";
  network::save_model(file, model);
  return learned_method(Query::map, file.string());
}

TEST(LearnedMap, MemoryAndTimeAreLimited) {
  const testing::Scratch scratch;
  const Method method = method_with_weights(scratch, {});
  const FactorGraph graph = d3().numbers(tasks::Stream::test, 0).graph();
  MethodOptions options;
  options.max_bytes = 20000;  // features and a part of what the network needs
  expect_error(ErrorCode::too_large, "fgnn", [&] { method.solve(graph, options, {}); });
  options.max_bytes = 2000000;
  EXPECT_EQ(method.solve(graph, options, {}).status, Status::converged);
  options.time_limit = 0;
  expect_error(ErrorCode::time_limit, "fgnn", [&] { method.solve(graph, options, {}); });
}

TEST(LearnedMap, NumbersThatRanAwayAreNoAnswerThatConverged) {
  const testing::Scratch scratch;
  const Method method = method_with_weights(scratch, 1e30);
  const Result result = method.solve(d3().numbers(tasks::Stream::test, 0).graph(), {}, {});
  EXPECT_EQ(result.status, Status::diverged);
  EXPECT_NE(result.message.find("not finite"), std::string::npos) << result.message;
}

TEST(LearnedMap, EvidenceThatBreaksABudgetIsInfeasible) {
  const testing::Scratch scratch;
  const Method method = method_with_weights(scratch, {});
  const auto instance = d3().numbers(tasks::Stream::test, 0);
  Evidence evidence;
  for (const VariableId v : instance.budgets.at(0).scope) evidence.fix(v, 1);
  for (const Rounding rounding : {Rounding::repair, Rounding::argmax}) {
    MethodOptions options;
    options.rounding = rounding;
    const Result result = method.solve(instance.graph(), options, evidence);
    EXPECT_EQ(result.status, Status::infeasible);
    EXPECT_TRUE(result.assignment.empty());
  }
}

TEST(LearnedMethods, ADamagedFileIsNamed) {
  const testing::Scratch scratch;
  GraphBuilder builder;
  const auto x = builder.variables("x", 2, 2);
  builder.factor({x[0], x[1]}, Table({2, 2}, {0, 1, 2, 0}));
  network::Model model = neuralize::compile(std::move(builder).build(),
                                            {.algorithm = neuralize::Algorithm::max_product});
  model.metadata["ceiling"] = "x";
  const auto file = (scratch.path() / "damaged.safetensors").string();
  network::save_model(file, model);
  expect_error(ErrorCode::format, file, [&] { learned_method(Query::map, file); });
}

TEST(Weights, AreAFileOrANameThatIsKnown) {
  const testing::Scratch scratch;
  expect_error(ErrorCode::io, "nor a network that comes with the program",
               [] { find_weights("no-such-network"); });
  // The folder of a training, once it has a model.
  expect_error(ErrorCode::io, "nor the folder of a training",
               [&] { find_weights(scratch.path().string()); });
  const auto model = scratch.path() / "model.safetensors";
  std::ofstream(model) << "x";
  EXPECT_EQ(find_weights(scratch.path().string()), model);
  EXPECT_EQ(find_weights(model.string()), model);
}

}  // namespace
}  // namespace fgnn::learned
