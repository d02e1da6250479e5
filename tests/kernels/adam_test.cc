#include "fgnn/kernels/adam.h"

#include <gtest/gtest.h>

#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::normal_numbers;
using testing::same_numbers;

// The papers' formulas, in double.
struct Adam {
  std::vector<double> p, m, v;
  AdamOptions o;

  void step(const std::vector<float>& gradients, double rate, double scale, int t) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double g = scale * gradients[i];
      m[i] = o.beta1 * m[i] + (1 - o.beta1) * g;
      v[i] = o.beta2 * v[i] + (1 - o.beta2) * g * g;
      const double first = m[i] / (1 - std::pow(o.beta1, t));
      const double second = v[i] / (1 - std::pow(o.beta2, t));
      p[i] -= rate * o.weight_decay * p[i];
      p[i] -= rate * first / (std::sqrt(second) + o.epsilon);
    }
  }
};

TEST(AdamStep, EqualsTheScalarLoop) {
  Rng rng(1);
  for (const double decay : {0.0, 0.3}) {
    for (const std::size_t n : {1u, 5u, 15u, 16u, 17u, 31u, 100u}) {
      for (const double scale : {1.0, 0.25}) {
        AdamOptions options;
        options.weight_decay = decay;
        auto p = normal_numbers<float>(rng, n);
        std::vector<float> m(n), v(n);
        Adam want{{p.begin(), p.end()}, std::vector<double>(n), std::vector<double>(n), options};
        for (int t = 1; t <= 20; ++t) {
          const auto g = normal_numbers<float>(rng, n, t % 3 == 0 ? 1e-3 : 1);
          adam_step(p.data(), g.data(), m.data(), v.data(), n, 0.01, scale, t, options, 1);
          want.step(g, 0.01, scale, t);
          ASSERT_TRUE(same_numbers(p, want.p, 2e-6)) << "step " << t;
          ASSERT_TRUE(same_numbers(m, want.m, 1e-6)) << "step " << t;
          ASSERT_TRUE(same_numbers(v, want.v, 1e-6)) << "step " << t;
        }
      }
    }
  }
}

// With one step behind it, Adam moves by the rate in the direction of the gradient's sign.
TEST(AdamStep, TheFirstStepIsTheRate) {
  const float g[] = {3, -0.002f, 0};
  float p[3] = {}, m[3] = {}, v[3] = {};
  adam_step(p, g, m, v, 3, 0.125, 1, 1, {}, 1);
  EXPECT_NEAR(p[0], -0.125, 1e-6);
  EXPECT_NEAR(p[1], 0.125, 2e-6);
  EXPECT_EQ(p[2], 0);
}

TEST(AdamStep, ThreadsAgreeUpToRoundingAndRepeatExactly) {
  Rng rng(2);
  const std::size_t n = 50'001;
  const auto start = normal_numbers<float>(rng, n), g = normal_numbers<float>(rng, n);
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 2}) {
    auto p = start;
    std::vector<float> m(n), v(n);
    for (int t = 1; t <= 3; ++t) {
      adam_step(p.data(), g.data(), m.data(), v.data(), n, 0.01, 1, t, {}, threads);
    }
    results.push_back(p);
  }
  EXPECT_TRUE(same_numbers(results[0], results[1], 1e-6));
  EXPECT_EQ(results[1], results[2]);
}

TEST(SumOfSquares, IsTheSumWhateverTheThreads) {
  Rng rng(3);
  for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 1000u, 16384u, 16385u, 200'003u}) {
    const auto x = normal_numbers<float>(rng, n);
    double want = 0;
    for (const float v : x) want += static_cast<double>(v) * v;
    const double one = sum_of_squares(x.data(), n, 1);
    EXPECT_NEAR(one, want, 1e-12 * want);
    EXPECT_EQ(one, sum_of_squares(x.data(), n, 2));
  }
}

}  // namespace
}  // namespace fgnn::kernels
