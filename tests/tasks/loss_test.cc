#include "fgnn/tasks/loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fgnn/tasks/chain.h"
#include "fgnn/tasks/task.h"
#include "tests/reference/differences.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::tasks {
namespace {

using testing::expect_error;
using testing::normal_numbers;
using testing::same_numbers;

struct Measured {
  Metrics metrics;
  std::vector<double> gradient;
};

// One graph, in double.
Measured measured(const std::vector<double>& output, std::size_t width, const Labelled& wanted,
                  Loss loss) {
  Measured m{{}, std::vector<double>(output.size(), 777)};
  loss->graph({output, width, wanted.classes, wanted.targets}, m.metrics, m.gradient);
  return m;
}

// The same in float, with graphs of these rows.
struct Gradient {
  Metrics metrics;
  std::vector<float> numbers;
};
Gradient gradient(const std::vector<float>& output, std::size_t width, const Labelled& wanted,
                  Loss loss, std::vector<std::size_t> rows) {
  Gradient g{{}, std::vector<float>(output.size(), 777)};
  g.metrics = measure(output, width, wanted, loss, rows, g.numbers);
  return g;
}

class Losses : public ::testing::TestWithParam<Loss> {
 protected:
  // Labels of `rows` rows; of the classes one in four does not count.
  Labelled labels(Rng& rng, std::size_t rows, std::size_t width) {
    Labelled l;
    for (std::size_t r = 0; r < rows; ++r) {
      if (GetParam() == Loss::cross_entropy) {
        l.classes.push_back(r % 4 == 3 ? -1 - static_cast<std::int64_t>(rng.below(3))
                                       : static_cast<std::int64_t>(rng.below(width)));
        continue;
      }
      for (std::size_t k = 0; k < width; ++k) {
        l.targets.push_back(static_cast<float>(
            GetParam() == Loss::binary_cross_entropy ? std::round(rng.uniform()) : rng.normal()));
      }
    }
    return l;
  }
};

TEST_P(Losses, AreTheSameWithAGradient) {
  Rng rng(1);
  for (const std::size_t width : {1, 2, 5}) {
    const auto output = normal_numbers<float>(rng, 8 * width, 3);
    const auto wanted = labels(rng, 8, width);
    const std::size_t graphs[] = {0, 3, 3, 8};
    const auto without = measure(output, width, wanted, GetParam(), graphs);
    const auto with = gradient(output, width, wanted, GetParam(), {0, 3, 3, 8});
    EXPECT_EQ(with.metrics.rows, without.rows);
    EXPECT_EQ(with.metrics.loss, without.loss);
    EXPECT_EQ(with.metrics.correct, without.correct);
    EXPECT_EQ(with.metrics.graphs, 2);
    const auto exact = measured({output.begin(), output.end()}, width, wanted, GetParam());
    EXPECT_NEAR(exact.metrics.loss, without.loss, 1e-12 * std::max(1.0, without.loss));
    EXPECT_TRUE(same_numbers(with.numbers, exact.gradient, 1e-6));
  }
}

TEST_P(Losses, GradientsAreThoseOfDifferences) {
  Rng rng(2);
  const std::size_t width = 3;
  auto output = normal_numbers<double>(rng, 8 * width);
  const auto wanted = labels(rng, 8, width);
  const auto value = [&] { return measured(output, width, wanted, GetParam()).metrics.loss; };
  testing::expect_gradient(output, measured(output, width, wanted, GetParam()).gradient, value,
                           "output", rng);
}

TEST_P(Losses, OfNoRowsAreZero) {
  for (const auto& rows : {std::vector<std::size_t>{0}, std::vector<std::size_t>{0, 0}}) {
    const auto none = gradient({}, 3, {}, GetParam(), rows);
    EXPECT_EQ(none.metrics.rows, 0);
    EXPECT_EQ(none.metrics.loss, 0);
    EXPECT_EQ(none.metrics.graphs, 0);
  }
}

TEST_P(Losses, LabelsThatDoNotFitAreRefused) {
  Rng rng(3);
  const auto wanted = labels(rng, 4, 2);
  expect_error(ErrorCode::usage, "labels: are for 4 rows where the network has 5", [&] {
    gradient(std::vector<float>(10), 2, wanted, GetParam(), {0, 5});
  });
  expect_error(ErrorCode::usage, "labels: are for 0 rows where the network has 4", [&] {
    gradient(std::vector<float>(8), 2, {}, GetParam(), {0, 4});
  });
}

INSTANTIATE_TEST_SUITE_P(All, Losses,
                         ::testing::Values(Loss::cross_entropy, Loss::binary_cross_entropy,
                                           Loss::l1, Loss::l2),
                         [](const auto& test) {
                           std::string text(name(test.param));
                           std::erase(text, '-');
                           return text;
                         });

// With probabilities of 0 and 1 it is the loss of the classes; in between, the mean over them.
TEST(SoftClasses, LossIsTheMeanOverTheClasses) {
  Rng rng(5);
  auto output = normal_numbers<double>(rng, 4 * 2);
  const auto of_class = [&](std::int64_t c) {
    return measured(output, 2, {{}, {c, c, c, c}, {}}, Loss::cross_entropy).metrics.loss;
  };
  for (const float p : {0.0f, 0.25f, 1.0f}) {
    Labelled l;
    l.classes.assign(4, 0);
    for (int r = 0; r < 4; ++r) l.targets.insert(l.targets.end(), {1 - p, p});
    const auto soft = measured(output, 2, l, Loss::cross_entropy);
    EXPECT_EQ(soft.metrics.rows, 4);
    EXPECT_NEAR(soft.metrics.loss, (1 - p) * of_class(0) + p * of_class(1), 1e-12);
    testing::expect_gradient(
        output, soft.gradient,
        [&] { return measured(output, 2, l, Loss::cross_entropy).metrics.loss; }, "output", rng);
    // Without a gradient it is a measure, and those ask for the class.
    Metrics hard;
    Loss::cross_entropy->graph({output, 2, l.classes, l.targets}, hard, {});
    EXPECT_EQ(hard.loss, of_class(0));
  }
  Labelled few;
  few.classes.assign(4, 0);
  few.targets.assign(4, 0.5f);
  expect_error(ErrorCode::usage, "labels: are for ", [&] {
    gradient(std::vector<float>(8), 2, few, Loss::cross_entropy, {0, 4});
  });
}

TEST(CrossEntropy, UnknownClassesAreRefused) {
  expect_error(ErrorCode::usage, "labels: have class 2 where the network knows 2", [] {
    gradient(std::vector<float>(4), 2, {{}, {0, 2}, {}}, Loss::cross_entropy, {0, 2});
  });
}

TEST(CrossEntropy, RowsThatDoNotCountHaveNoGradient) {
  const auto g = gradient({1, 2, 3, 4}, 2, {{}, {-1, -5}, {}}, Loss::cross_entropy, {0, 2});
  EXPECT_EQ(g.metrics.rows, 0);
  EXPECT_EQ(g.metrics.loss, 0);
  EXPECT_EQ(g.numbers, std::vector<float>(4));
}

TEST(CrossEntropy, LeavesClassesBelowZeroOut) {
  Rng rng(6);
  const auto x = normal_numbers<double>(rng, 4 * 3);
  const auto one = [&](std::size_t row, std::size_t c) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::exp(x[3 * row + k]);
    return std::log(sum) - x[3 * row + c];
  };
  const auto m = measured(x, 3, {{}, {2, -1, 0, -1}, {}}, Loss::cross_entropy).metrics;
  EXPECT_EQ(m.rows, 2);
  EXPECT_NEAR(m.mean_loss(), (one(0, 2) + one(2, 0)) / 2, 1e-12);
}

TEST(ChainLoss, IsMinusTheLogLikelihoodOfEveryChain) {
  Rng rng(1);
  constexpr std::size_t states = 3, width = states + states * states;
  // Chains of three and of two variables in one batch.
  Labelled wanted;
  wanted.classes = {0, 2, 1, 1, 0};
  const auto numbers = normal_numbers<float>(rng, 5 * width);
  const auto got = gradient(numbers, width, wanted, Loss::chain, {0, 3, 5});
  EXPECT_EQ(got.metrics.rows, 5);
  const std::span all(numbers);
  const auto chain = [&](std::size_t first, std::size_t count, std::span<float> slopes) {
    return chain_log_likelihood(ChainRows::of(all.subspan(first * width, count * width), width),
                                std::span(wanted.classes).subspan(first, count), slopes);
  };
  std::vector<float> slopes(5 * width);
  EXPECT_NEAR(got.metrics.loss,
              -chain(0, 3, std::span(slopes).first(3 * width)) -
                  chain(3, 2, std::span(slopes).last(2 * width)),
              1e-12);
  for (std::size_t i = 0; i < slopes.size(); ++i) EXPECT_EQ(got.numbers[i], -slopes[i]) << i;
  for (const std::int64_t unknown : {3, -1}) {  // chains leave nothing open
    wanted.classes[0] = unknown;
    expect_error(ErrorCode::usage,
                 "have class " + std::to_string(unknown) + " where the network knows 3", [&] {
                   gradient(numbers, width, wanted, Loss::chain, {0, 3, 5});
                 });
  }
}

}  // namespace
}  // namespace fgnn::tasks
