#include "fgnn/tasks/task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "fgnn/core/random.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::tasks {
namespace {

using testing::expect_error;
using testing::random_batch;
using testing::random_model;

Labelled with_classes(std::vector<std::int64_t> classes) { return {{}, std::move(classes), {}}; }
Labelled with_targets(std::vector<float> targets) { return {{}, {}, std::move(targets)}; }

TEST(Losses, HaveNames) {
  for (const auto l :
       {Loss::cross_entropy, Loss::binary_cross_entropy, Loss::l1, Loss::l2, Loss::chain}) {
    EXPECT_EQ(loss(name(l)), l);
  }
  EXPECT_EQ(name(Loss::binary_cross_entropy), "binary-cross-entropy");
  expect_error(ErrorCode::usage,
               "l3: is not a loss; cross-entropy, binary-cross-entropy, l1, l2 or chain",
               [] { loss("l3"); });
}

// softmax(log 3, 0) = (3/4, 1/4), softmax(0, log 7) = (1/8, 7/8), softmax(0, 0) = (1/2, 1/2)
TEST(Measure, CrossEntropyByHand) {
  const float l3 = std::log(3.f), l7 = std::log(7.f);
  const std::vector<float> output{l3, 0, 0, l7, 0, l7, l3, 0};
  const std::size_t graphs[] = {0, 2, 4};
  const auto m = measure(output, 2, with_classes({0, 1, 0, 0}), Loss::cross_entropy, graphs);
  EXPECT_EQ(m.rows, 4);
  EXPECT_NEAR(m.loss, -std::log(3. / 4) - std::log(7. / 8) - std::log(1. / 8) - std::log(3. / 4),
              1e-6);
  EXPECT_NEAR(m.mean_loss(), m.loss / 4, 1e-12);
  EXPECT_EQ(m.correct, 3);
  EXPECT_EQ(m.accuracy(), 0.75);
  EXPECT_EQ(m.graphs, 2);
  EXPECT_EQ(m.solved, 1);
  EXPECT_EQ(m.solved_share(), 0.5);
}

TEST(Measure, CrossEntropyOfLargeNumbersIsFinite) {
  const std::vector<float> output{1e30f, 0, -1e30f};
  const std::size_t graphs[] = {0, 1};
  EXPECT_EQ(measure(output, 3, with_classes({0}), Loss::cross_entropy, graphs).loss, 0);
  EXPECT_NEAR(measure(output, 3, with_classes({1}), Loss::cross_entropy, graphs).loss, 1e30, 1e24);
}

TEST(Measure, ClassesBelowZeroAreLeftOut) {
  const float l3 = std::log(3.f);
  const std::vector<float> output{l3, 0, 0, l3, l3, 0, 0, 0};
  const std::size_t graphs[] = {0, 1, 3, 4};
  const auto m = measure(output, 2, with_classes({0, -1, 0, -7}), Loss::cross_entropy, graphs);
  EXPECT_EQ(m.rows, 2);
  EXPECT_NEAR(m.loss, -2 * std::log(3. / 4), 1e-6);
  EXPECT_EQ(m.correct, 2);
  EXPECT_EQ(m.graphs, 2);  // the last has no row that counts
  EXPECT_EQ(m.solved, 2);
}

// sigmoid(log 3) = 3/4, sigmoid(-log 7) = 1/8
TEST(Measure, BinaryCrossEntropyByHand) {
  const float l3 = std::log(3.f), l7 = std::log(7.f);
  const std::vector<float> output{l3, -l7, l3, -l7};
  const std::size_t graphs[] = {0, 2};
  const auto m = measure(output, 2, with_targets({1, 0, 1, 1}), Loss::binary_cross_entropy, graphs);
  EXPECT_EQ(m.rows, 2);
  EXPECT_NEAR(
      m.loss,
      (-std::log(3. / 4) - std::log(7. / 8)) / 2 + (-std::log(3. / 4) - std::log(1. / 8)) / 2,
      1e-6);
  EXPECT_EQ(m.correct, 1);  // both of a row's bits
  EXPECT_EQ(m.solved, 0);
  const auto soft = measure(std::vector<float>{l3}, 1, with_targets({0.25f}),
                            Loss::binary_cross_entropy, std::vector<std::size_t>{0, 1});
  EXPECT_NEAR(soft.loss, -0.25 * std::log(3. / 4) - 0.75 * std::log(1. / 4), 1e-6);
}

TEST(Measure, BinaryCrossEntropyOfLargeNumbersIsFinite) {
  const std::vector<float> output{500, -500};
  const std::size_t graphs[] = {0, 1};
  EXPECT_LT(measure(output, 2, with_targets({1, 0}), Loss::binary_cross_entropy, graphs).loss,
            1e-200);
  EXPECT_EQ(measure(output, 2, with_targets({0, 1}), Loss::binary_cross_entropy, graphs).loss, 500);
}

TEST(Measure, DistancesByHand) {
  const std::vector<float> output{1, 2, 3, -1}, wanted{0, 4, 3, -0.5f};
  const std::size_t graphs[] = {0, 1, 2};
  const auto l1 = measure(output, 2, with_targets(wanted), Loss::l1, graphs);
  EXPECT_EQ(l1.rows, 2);
  EXPECT_NEAR(l1.loss, (1 + 2) / 2. + (0 + 0.5) / 2, 1e-12);
  EXPECT_NEAR(l1.absolute, l1.loss, 1e-12);
  EXPECT_EQ(l1.correct, 0);
  const auto l2 = measure(output, 2, with_targets(wanted), Loss::l2, graphs);
  EXPECT_NEAR(l2.loss, (1 + 4) / 2. + (0 + 0.25) / 2, 1e-12);
  EXPECT_NEAR(l2.absolute, l1.loss, 1e-12);
}

TEST(Measure, TheStandardErrorIsThatOfTheMeanOverGraphs) {
  // Graphs of two rows with 2, 1 and 0 right: shares 1, 1/2, 0 with sample deviation 1/2.
  const std::vector<float> output{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  const std::size_t graphs[] = {0, 2, 4, 6};
  const auto m = measure(output, 2, with_classes({0, 0, 0, 1, 1, 1}), Loss::cross_entropy, graphs);
  EXPECT_EQ(m.accuracy(), 0.5);
  EXPECT_NEAR(m.standard_error(), 0.5 / std::sqrt(3.), 1e-12);
  const std::size_t one[] = {0, 6};
  EXPECT_EQ(measure(output, 2, with_classes({0, 0, 0, 1, 1, 1}), Loss::cross_entropy, one)
                .standard_error(),
            0);
}

// Of 1 and 3 rows with 1 and 0 right: off by +3/4 and -3/4 rows from a quarter of each.
TEST(Measure, TheStandardErrorWeighsGraphsByTheirRows) {
  const std::vector<float> output{1, 0, 1, 0, 1, 0, 1, 0};
  const std::size_t graphs[] = {0, 1, 4};
  const auto m = measure(output, 2, with_classes({0, 1, 1, 1}), Loss::cross_entropy, graphs);
  EXPECT_EQ(m.accuracy(), 0.25);
  EXPECT_NEAR(m.standard_error(), std::sqrt(2 * (0.75 * 0.75 + 0.75 * 0.75)) / 4, 1e-12);
}

TEST(Measure, PartsAddUp) {
  const std::vector<float> output{1, 0, 0, 2, 3, 0};
  const auto labels = with_classes({0, 1, 1});
  Metrics sum;
  const std::size_t all[] = {0, 1, 2, 3};
  for (std::size_t g = 0; g < 3; ++g) {
    const std::size_t one[] = {g, g + 1};
    sum.add(measure(output, 2, labels, Loss::cross_entropy, one));
  }
  const auto whole = measure(output, 2, labels, Loss::cross_entropy, all);
  EXPECT_NEAR(sum.loss, whole.loss, 1e-12);
  EXPECT_EQ(sum.rows, whole.rows);
  EXPECT_EQ(sum.correct, whole.correct);
  EXPECT_EQ(sum.graphs, whole.graphs);
  EXPECT_EQ(sum.solved, whole.solved);
  EXPECT_NEAR(sum.standard_error(), whole.standard_error(), 1e-12);
}

TEST(Measure, LabelsThatDoNotFitAreRefused) {
  const std::vector<float> output{1, 0, 0, 2};
  const std::size_t graphs[] = {0, 2};
  const auto with = [&](const Labelled& labels, Loss loss) {
    return [&, labels, loss] { measure(output, 2, labels, loss, graphs); };
  };
  expect_error(ErrorCode::usage, "labels: are for 3 rows where the network has 2",
               with(with_classes({0, 0, 0}), Loss::cross_entropy));
  expect_error(ErrorCode::usage, "labels: have class 2 where the network knows 2",
               with(with_classes({0, 2}), Loss::cross_entropy));
  expect_error(ErrorCode::usage, "labels: are for 0 rows where the network has 2",
               with(with_classes({0, 0}), Loss::l2));
  expect_error(ErrorCode::usage, "labels: are for 0 rows where the network has 2",
               with(with_targets({0, 0, 0, 0}), Loss::cross_entropy));
}

// Graphs of different structures, every third with all its labels left out but one.
std::vector<Labelled> random_graphs(std::size_t n, Loss loss, std::size_t outputs_per_graph = 0) {
  Rng rng(3);
  std::vector<Labelled> graphs;
  for (std::size_t i = 0; i < n; ++i) {
    Labelled g{random_batch(rng), {}, {}};
    const std::size_t variables = g.batch.structure->variables();
    if (loss == Loss::cross_entropy) {
      for (std::size_t v = 0; v < variables; ++v) {
        g.classes.push_back(i % 3 == 2 && v > 0 ? -1 : static_cast<std::int64_t>(rng.below(2)));
      }
    } else {
      g.targets = testing::normal_numbers<float>(
          rng, 2 * (outputs_per_graph > 0 ? outputs_per_graph : variables));
    }
    graphs.push_back(std::move(g));
  }
  return graphs;
}

void expect_equal(const Metrics& a, const Metrics& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_NEAR(a.loss, b.loss, 1e-4 * std::abs(b.loss));
  EXPECT_EQ(a.correct, b.correct);
  EXPECT_NEAR(a.absolute, b.absolute, 1e-4 * b.absolute);
  EXPECT_EQ(a.graphs, b.graphs);
  EXPECT_EQ(a.solved, b.solved);
  EXPECT_NEAR(a.standard_error(), b.standard_error(), 1e-9);
}

TEST(Evaluate, IsTheSameForAllBatchesAndThreads) {
  struct Case {
    const char* network;
    Loss loss;
    std::size_t per_graph;
  };
  for (const auto& [network, loss, per_graph] : {
           Case{"FGNN(8) - Out(2)", Loss::cross_entropy, 0},
           Case{"FGNN(8) - Out(2)", Loss::binary_cross_entropy, 0},
           Case{"FGNN(8) - Out(2)", Loss::l1, 0},
           Case{"FGNN(8) - Pool(mean) - Out(2)", Loss::l2, 1},
       }) {
    const MemoryTask task(testing::pair_and_budget(), loss, {}, {},
                          random_graphs(11, loss, per_graph));
    const auto model = random_model(network);
    const auto one = evaluate(model, task, Stream::test, 11, 1, 1);
    EXPECT_EQ(one.graphs, 11) << network;
    for (const std::size_t batch : {1, 3, 11, 100}) {
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(std::string(network) + ", " + std::string(name(loss)) + ", batches of " +
                     std::to_string(batch));
        expect_equal(evaluate(model, task, Stream::test, 11, batch, threads), one);
      }
    }
  }
}

TEST(Evaluate, TakesNoMoreThanThereIsAndNoMoreThanAsked) {
  const MemoryTask task(testing::pair_and_budget(), Loss::cross_entropy, {}, {},
                        random_graphs(7, Loss::cross_entropy));
  const auto model = random_model("FGNN(8) - Out(2)");
  EXPECT_EQ(evaluate(model, task, Stream::test, 1000, 4, 1).graphs, 7);
  EXPECT_EQ(evaluate(model, task, Stream::test, 5, 4, 1).graphs, 5);
  EXPECT_EQ(evaluate(model, task, Stream::test, 0, 4, 1).graphs, 0);
}

TEST(Evaluate, LabelsAndGraphsThatDoNotFitAreErrors) {
  auto graphs = random_graphs(3, Loss::cross_entropy);
  const auto model = random_model("FGNN(8) - Out(2)");
  graphs[1].classes[0] = 2;
  const MemoryTask classes(testing::pair_and_budget(), Loss::cross_entropy, {}, {}, graphs);
  expect_error(ErrorCode::usage, "labels: have class 2",
               [&] { evaluate(model, classes, Stream::test, 3, 1, 2); });
  graphs[1].classes[0] = 1;
  graphs[2].classes.pop_back();
  const MemoryTask missing(testing::pair_and_budget(), Loss::cross_entropy, {}, {}, graphs);
  expect_error(ErrorCode::usage, "labels: are for",
               [&] { evaluate(model, missing, Stream::test, 3, 3, 1); });
  graphs[0].batch.variable.pop_back();
  const MemoryTask features(testing::pair_and_budget(), Loss::cross_entropy, {}, {}, graphs);
  expect_error(ErrorCode::usage, "variable features",
               [&] { evaluate(model, features, Stream::test, 1, 1, 1); });
  expect_error(ErrorCode::usage, "memory: has no instances of this kind",
               [&] { evaluate(model, features, Stream::validation, 3, 1, 1); });
}

TEST(MemoryTasks, HaveTheStreamsTheyWereGiven) {
  const auto graphs = random_graphs(5, Loss::cross_entropy);
  const MemoryTask task(testing::pair_and_budget(), Loss::cross_entropy, graphs, {graphs[1]});
  EXPECT_EQ(task.size(Stream::train), 5u);
  EXPECT_EQ(task.size(Stream::validation), 1u);
  EXPECT_TRUE(task.has(Stream::validation));
  EXPECT_FALSE(task.has(Stream::test));
  EXPECT_EQ(task.instance(Stream::validation, 0).classes, graphs[1].classes);
  EXPECT_ANY_THROW(task.instance(Stream::train, 5));
}

TEST(BatchOf, PutsInstancesInTheOrderAsked) {
  const auto graphs = random_graphs(6, Loss::cross_entropy);
  const MemoryTask task(testing::pair_and_budget(), Loss::cross_entropy, graphs);
  const std::uint64_t indices[] = {4, 0, 4};
  for (const int threads : {1, 2}) {
    const auto batch = batch_of(task, Stream::train, indices, threads);
    EXPECT_EQ(batch.batch.graphs(), 3u);
    std::vector<std::int64_t> classes;
    std::vector<double> variable;
    for (const auto i : indices) {
      const auto& g = graphs[i];
      classes.insert(classes.end(), g.classes.begin(), g.classes.end());
      variable.insert(variable.end(), g.batch.variable.begin(), g.batch.variable.end());
    }
    EXPECT_EQ(batch.classes, classes);
    EXPECT_EQ(batch.batch.variable, variable);
  }
}

}  // namespace
}  // namespace fgnn::tasks
