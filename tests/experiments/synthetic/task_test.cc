#include "fgnn/experiments/synthetic/task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "fgnn/core/random.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "fgnn/network/run.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/task_streams.h"

namespace fgnn::synthetic {
namespace {

using testing::expect_error;

SyntheticOptions dataset(const std::string& name, std::size_t length = 30, std::size_t order = 9,
                         std::uint64_t seed = 0) {
  SyntheticOptions options;
  options.dataset = name;
  options.length = length;
  options.side = 4;  // elimination would not end on D5's own
  options.order = order;
  options.seed = seed;
  return options;
}

// The labels are an assignment with this score, to rounding.
void expect_labels_score(const SyntheticInstance& instance, double best, const std::string& what) {
  const auto labels = exact_labels(instance);
  ASSERT_EQ(labels.size(), instance.unary.size()) << what;
  EXPECT_NEAR(instance.graph().score(labels), best, 1e-9) << what;
}

TEST(SyntheticLabels, OfChainsAreTheBestOfAllAssignments) {
  Rng rng(1);
  for (const std::string name : {"D1", "D2", "D3", "D4"}) {
    for (int trial = 0; trial < 40; ++trial) {
      auto options = dataset(name, 1 + rng.below(11), 3 + rng.below(7), rng());
      options.every_node = trial % 2 == 1;
      if (!options.every_node) options.length = std::max(options.length, options.order);
      const auto instance = synthetic_instance(options, trial);
      expect_labels_score(instance, enumerate_map(instance.graph()).score,
                          name + ", length " + std::to_string(options.length) + ", order " +
                              std::to_string(options.order));
    }
  }
}

TEST(SyntheticLabels, OfTheLayoutsInThePaperAreTheExactMap) {
  for (const std::string name : {"D1", "D2", "D3", "D4"}) {
    for (const std::size_t order : {3, 8, 9}) {
      for (const bool every_node : {false, true}) {
        auto options = dataset(name, 30, order, 5);
        options.every_node = every_node;
        options.pairwise_of_text = every_node;
        const auto instance = synthetic_instance(options, order);
        expect_labels_score(instance, exact_map(instance.graph()).score, name);
      }
    }
  }
}

// Too many bits for the dynamic programme.
TEST(SyntheticLabels, OfWindowsOverSeventeenVariablesAreTheBestOfAllAssignments) {
  const auto instance = synthetic_instance(dataset("D3", 18, 17, 2), 0);
  expect_labels_score(instance, enumerate_map(instance.graph()).score, "order 17");
}

// The best score of the subtree of each node, by its state: children have larger numbers.
double best_of_tree(const SyntheticInstance& tree) {
  auto best = tree.unary;
  for (std::size_t i = tree.pairs.size(); i-- > 0;) {
    const auto& pair = tree.pairs[i];
    EXPECT_LT(pair.first, pair.second);
    for (std::size_t x = 0; x < 2; ++x) {
      const auto with = [&](std::size_t y) {
        return pair.values[2 * x + y] + best[pair.second][y];
      };
      best[pair.first][x] += std::max(with(0), with(1));
    }
  }
  return std::max(best[0][0], best[0][1]);
}

TEST(SyntheticLabels, OfTreesAreTheBestAssignment) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    const auto instance = synthetic_instance(dataset("tree", 30, 9, 3), i);
    expect_labels_score(instance, best_of_tree(instance), "tree " + std::to_string(i));
  }
}

TEST(SyntheticTask, InstancesCarryTheExactLabels) {
  for (const auto& info : synthetic_datasets()) {
    const SyntheticTask task(dataset(info.name, 12, 5));
    const auto labelled = task.instance(tasks::Stream::validation, 3);
    const auto labels = exact_labels(task.numbers(tasks::Stream::validation, 3));
    EXPECT_EQ(labelled.classes, std::vector<std::int64_t>(labels.begin(), labels.end()));
    EXPECT_TRUE(labelled.targets.empty());
    EXPECT_EQ(labelled.classes.size(), labelled.batch.structure->variables());
  }
}

TEST(SyntheticTask, FeaturesAreLaidOutAsDocumented) {
  auto options = dataset("D3", 6, 4);
  options.every_node = true;
  const SyntheticTask task(options);
  const auto numbers = task.numbers(tasks::Stream::test, 0);
  const auto batch = task.features(numbers);
  const auto& relations = batch.structure->relations();
  ASSERT_EQ(batch.structure->variables(), 6u);
  ASSERT_EQ(relations.size(), 2u);
  EXPECT_EQ(batch.copies, 1u);
  ASSERT_EQ(batch.variable.size(), 12u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(batch.variable[2 * i], numbers.unary[i][0]);
    EXPECT_EQ(batch.variable[2 * i + 1], numbers.unary[i][1]);
  }

  ASSERT_EQ(relations[0].factors, 5u);
  ASSERT_EQ(batch.relations[0].factor.size(), 20u);
  for (std::size_t p = 0; p < 5; ++p) {
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(batch.relations[0].factor[4 * p + k], numbers.pairs[p].values[k]);
    }
  }
  EXPECT_EQ(relations[0].factor, (std::vector<network::Index>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(relations[0].variable, (std::vector<network::Index>{0, 1, 1, 2, 2, 3, 3, 4, 4, 5}));
  EXPECT_EQ(relations[0].kind, (std::vector<network::Index>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(batch.relations[0].edge, (std::vector<double>{1, 0, 0, 1}));

  ASSERT_EQ(relations[1].factors, 6u);
  ASSERT_EQ(batch.relations[1].factor.size(), 24u);
  std::size_t edge = 0;
  for (std::size_t b = 0; b < 6; ++b) {
    const auto& budget = numbers.budgets[b];
    for (std::size_t k = 1; k <= 4; ++k) {
      EXPECT_EQ(batch.relations[1].factor[4 * b + k - 1], budget.most >= k ? 1 : 0);
    }
    for (std::size_t j = 0; j < budget.scope.size(); ++j, ++edge) {
      EXPECT_EQ(relations[1].factor[edge], b);
      EXPECT_EQ(relations[1].variable[edge], budget.scope[j]);
      EXPECT_EQ(relations[1].kind[edge], j);
    }
  }
  EXPECT_EQ(edge, relations[1].edges());
  EXPECT_EQ(batch.relations[1].edge,
            (std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
}

TEST(SyntheticTask, ShownOrderCutsBudgetsToTheirMiddle) {
  SyntheticTaskOptions options{dataset("D1", 12, 9)};
  options.shown_order = 4;
  const SyntheticTask wrong(options), right(options.data);
  const auto numbers = wrong.numbers(tasks::Stream::test, 0);
  const auto batch = wrong.features(numbers);
  const auto& budgets = batch.structure->relations()[1];
  ASSERT_EQ(budgets.factors, 4u);
  ASSERT_EQ(budgets.edges(), 16u);
  for (std::size_t e = 0; e < 16; ++e) {
    EXPECT_EQ(budgets.variable[e], e / 4 + 2 + e % 4);  // of 0 … 8 these are 2 … 5
    EXPECT_EQ(budgets.kind[e], e % 4);
  }
  EXPECT_EQ(wrong.schema().relations[1].kinds, 4u);
  // The problem itself stays what it is.
  EXPECT_EQ(wrong.instance(tasks::Stream::test, 0).classes,
            right.instance(tasks::Stream::test, 0).classes);
}

TEST(SyntheticTask, TheSchemaTakesTheFeatures) {
  for (const auto& info : synthetic_datasets()) {
    const SyntheticTask task(dataset(info.name, 12, 5));
    network::Description d;
    d.network = "FGNN(4) - Out(2)";
    d.schema = task.schema();
    const network::Model model(d, 0);
    const auto batch = task.instance(tasks::Stream::test, 0).batch;
    EXPECT_NO_THROW(network::check_features(model.program, batch)) << info.name;
    const bool budgets = info.name != "D4" && info.name != "tree";
    EXPECT_EQ(task.schema().relations.size(), budgets ? 2u : 1u) << info.name;
    EXPECT_EQ(batch.relations.size(), budgets ? 2u : 1u) << info.name;
  }
}

TEST(SyntheticTask, InstancesOfOneShapeShareTheirStructure) {
  const SyntheticTask chains(dataset("D3", 12, 5)), trees(dataset("tree"));
  EXPECT_EQ(chains.instance(tasks::Stream::train, 0).batch.structure,
            chains.instance(tasks::Stream::test, 7).batch.structure);
  EXPECT_NE(trees.instance(tasks::Stream::train, 0).batch.structure,
            trees.instance(tasks::Stream::train, 1).batch.structure);
}

TEST(SyntheticTask, BudgetsWiderThanTheSchemaAreRefused) {
  const SyntheticTask narrow(dataset("D3", 12, 5)), wide(dataset("D3", 12, 6));
  expect_error(ErrorCode::model, "budget: has more variables",
               [&] { narrow.features(wide.numbers(tasks::Stream::test, 0)); });
}

TEST(SyntheticTask, AnInstanceIsTheSameWhoeverAsks) {
  const auto options = dataset("D3", 12, 5, 4);
  const SyntheticTask task(options), other(options);
  std::array<tasks::Labelled, 4> answers;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < answers.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 20; ++i) {
        answers[t] = (t % 2 == 0 ? task : other).instance(tasks::Stream::train, t < 2 ? i : 19 - i);
      }
      answers[t] = (t % 2 == 0 ? task : other).instance(tasks::Stream::train, 11);
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& a : answers) {
    EXPECT_EQ(a.batch.variable, answers[0].batch.variable);
    EXPECT_EQ(a.batch.relations[1].factor, answers[0].batch.relations[1].factor);
    EXPECT_EQ(a.classes, answers[0].classes);
  }
}

TEST(SyntheticTask, StreamsAndSeedsAndNumbersNameDifferentInstances) {
  const SyntheticTask task(dataset("D3", 12, 5, 4)), reseeded(dataset("D3", 12, 5, 5));
  testing::expect_distinct_instances(task, reseeded);
}

// What `fgnn generate` and `fgnn compare` make with the same seed.
TEST(SyntheticTask, TheTestStreamIsTheSeedsOwn) {
  const auto options = dataset("D3", 12, 5, 4);
  EXPECT_EQ(SyntheticTask(options).numbers(tasks::Stream::test, 6).unary,
            synthetic_instance(options, 6).unary);
}

TEST(SyntheticTask, OnlyTrainingIsOfFixedSize) {
  const SyntheticTask endless(dataset("D4")), fixed(SyntheticTaskOptions{dataset("D4"), 50});
  EXPECT_EQ(endless.size(tasks::Stream::train), 0u);
  EXPECT_EQ(fixed.size(tasks::Stream::train), 50u);
  EXPECT_EQ(fixed.size(tasks::Stream::validation), 0u);
  EXPECT_EQ(fixed.size(tasks::Stream::test), 0u);
}

TEST(SyntheticTask, SettingsMakeTheSameTaskAgain) {
  const experiments::Settings settings{{"dataset", "D2"},     {"length", "14"},
                                       {"side", "5"},         {"order", "4"},
                                       {"every_node", "yes"}, {"pairwise_of_text", "yes"},
                                       {"data_seed", "12"},   {"instances", "34"},
                                       {"shown_order", "3"},  {"temperature", "0.25"}};
  const auto task = experiments::make_task("synthetic", settings),
             again = experiments::make_task("synthetic", task->settings());
  EXPECT_EQ(task->name(), "synthetic");
  EXPECT_EQ(task->settings(), settings);
  EXPECT_EQ(again->settings(), settings);
  EXPECT_EQ(again->size(tasks::Stream::train), 34u);
  for (const auto stream : {tasks::Stream::train, tasks::Stream::validation, tasks::Stream::test}) {
    EXPECT_EQ(task->instance(stream, 2).batch.variable, again->instance(stream, 2).batch.variable);
  }
  experiments::Settings defaults = experiments::complete(experiments::find_task("synthetic"), {});
  defaults.erase("labels");  // a folder says nothing about a trained model
  EXPECT_EQ(experiments::make_task("synthetic", {})->settings(), defaults);
}

TEST(SyntheticTask, ErrorsNameTheSetting) {
  const auto make = [](const std::string& key, const std::string& value) {
    return [=] { experiments::make_task("synthetic", {{key, value}}); };
  };
  expect_error(ErrorCode::usage, "D5: has labels that take too long", make("dataset", "D5"));
  expect_error(ErrorCode::usage, "D6", make("dataset", "D6"));
  expect_error(ErrorCode::usage, "shown_order: must be 0 or between 2 and 9",
               make("shown_order", "10"));
  expect_error(ErrorCode::usage, "shown_order", make("shown_order", "1"));
  for (const char* key : {"length", "order", "data_seed", "instances"}) {
    for (const char* value : {"", "a", "-1", "1.5", "7 ", "99999999999999999999"}) {
      expect_error(ErrorCode::usage, std::string(key) + ": '" + value + "' is not a whole number",
                   make(key, value));
    }
  }
  for (const char* key : {"every_node", "pairwise_of_text"}) {
    expect_error(ErrorCode::usage, std::string(key) + ": 'true' is not a choice; known are yes, no",
                 make(key, "true"));
  }
  expect_error(ErrorCode::usage, "temperature: 'warm' is not a number",
               make("temperature", "warm"));
  expect_error(ErrorCode::usage, "length", make("length", "0"));
  expect_error(ErrorCode::usage, "order", make("order", "1"));
  expect_error(ErrorCode::usage, "order", make("order", "31"));
  expect_error(ErrorCode::usage, "has no setting 'lenght'; did you mean 'length'?",
               make("lenght", "3"));
  expect_error(ErrorCode::usage, "syntetic: is not a task; did you mean 'synthetic'?",
               [] { experiments::make_task("syntetic", {}); });
}

}  // namespace
}  // namespace fgnn::synthetic
