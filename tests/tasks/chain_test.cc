#include "fgnn/tasks/chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/infer/methods.h"
#include "fgnn/tasks/task.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::tasks {
namespace {

using testing::expect_error;
using testing::normal_numbers;

struct Chain {
  std::size_t length, states;
  std::vector<float> numbers;

  ChainRows rows() const { return {numbers, states}; }
  double score(const std::vector<std::int64_t>& y) const {
    const std::size_t width = states + states * states;
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
      sum += numbers[i * width + y[i]];
      if (i > 0) sum += numbers[i * width + states + y[i - 1] * states + y[i]];
    }
    return sum;
  }
  // Calls f(labels, log score) for every assignment.
  template <class F>
  void enumerate(F f) const {
    std::vector<std::int64_t> y(length, 0);
    for (;;) {
      f(y, score(y));
      std::size_t i = 0;
      while (i < length && ++y[i] == static_cast<std::int64_t>(states)) y[i++] = 0;
      if (i == length) return;
    }
  }
  double log_partition() const {
    double sum = 0;
    enumerate([&](const auto&, double s) { sum += std::exp(s); });
    return std::log(sum);
  }
};

Chain random_chain(Rng& rng, std::size_t length, std::size_t states) {
  return {length, states, normal_numbers<float>(rng, length * (states + states * states))};
}

TEST(Chain, LogLikelihoodEqualsEnumeration) {
  Rng rng(1);
  for (const std::size_t length : {1, 2, 3, 5}) {
    const Chain chain = random_chain(rng, length, 4);
    const double log_z = chain.log_partition();
    chain.enumerate([&](const std::vector<std::int64_t>& y, double score) {
      EXPECT_NEAR(chain_log_likelihood(chain.rows(), y, {}), score - log_z, 1e-9);
    });
  }
  // Words: 26 letters, three of them.
  const Chain word = random_chain(rng, 3, 26);
  const std::vector<std::int64_t> y{7, 0, 25};
  EXPECT_NEAR(chain_log_likelihood(word.rows(), y, {}), word.score(y) - word.log_partition(), 1e-9);
}

TEST(Chain, MarginalsEqualEnumerationAndThoseOfInfer) {
  Rng rng(2);
  const Chain chain = random_chain(rng, 4, 5);
  const double log_z = chain.log_partition();
  std::vector<double> want(20, 0.0);
  chain.enumerate([&](const std::vector<std::int64_t>& y, double score) {
    for (std::size_t i = 0; i < 4; ++i) want[i * 5 + y[i]] += std::exp(score - log_z);
  });
  EXPECT_TRUE(testing::same_numbers(chain_marginals(chain.rows()), want, 1e-10));
  for (const char* name : {"exact", "sum-product"}) {
    const auto result =
        find_method(fgnn::Query::infer, name).run(chain_graph(chain.rows()), {}, {});
    EXPECT_TRUE(testing::same_numbers(result.marginals.values(), want, 1e-7)) << name;
  }
}

TEST(Chain, GradientEqualsDifferences) {
  Rng rng(3);
  Chain chain = random_chain(rng, 5, 3);
  const std::vector<std::int64_t> y{2, 0, 1, 1, 2};
  std::vector<float> gradient(chain.numbers.size(), 777);
  chain_log_likelihood(chain.rows(), y, gradient);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float kept = chain.numbers[i], step = 0.01f;
    chain.numbers[i] = kept + step;
    const double above = chain_log_likelihood(chain.rows(), y, {});
    const double moved = chain.numbers[i];
    chain.numbers[i] = kept - step;
    const double below = chain_log_likelihood(chain.rows(), y, {});
    const double width = moved - chain.numbers[i];
    chain.numbers[i] = kept;
    EXPECT_NEAR(gradient[i], (above - below) / width, 1e-4) << i;
  }
}

TEST(Chain, OtherWidthsAreRefused) {
  EXPECT_EQ(ChainRows::of({}, 702).states, 26u);
  expect_error(ErrorCode::usage, "needs k + k * k outputs, not 26", [] { ChainRows::of({}, 26); });
}

TEST(Chain, AreMeasuredByLikelihoodAndMarginals) {
  Rng rng(4);
  const Chain one = random_chain(rng, 3, 4), two = random_chain(rng, 2, 4);
  std::vector<float> rows = one.numbers;
  rows.insert(rows.end(), two.numbers.begin(), two.numbers.end());
  Labelled wanted;
  wanted.classes = {0, 1, 2, 3, 0};
  const std::vector<std::size_t> graphs{0, 3, 5};
  const Metrics m = measure(rows, 20, wanted, Loss::chain, graphs);
  EXPECT_EQ(m.rows, 5);
  EXPECT_EQ(m.graphs, 2);
  const double likelihood =
      chain_log_likelihood(one.rows(), std::vector<std::int64_t>{0, 1, 2}, {}) +
      chain_log_likelihood(two.rows(), std::vector<std::int64_t>{3, 0}, {});
  EXPECT_NEAR(m.loss, -likelihood, 1e-12);
  wanted.classes[0] = 4;
  expect_error(ErrorCode::usage, "have class 4 where the network knows 4",
               [&] { measure(rows, 20, wanted, Loss::chain, graphs); });
}

}  // namespace
}  // namespace fgnn::tasks
