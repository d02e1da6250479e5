#include "fgnn/train/optimiser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fgnn/kernels/adam.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::train {
namespace {

using testing::same_numbers;

std::vector<float> values(std::span<const float> x) { return {x.begin(), x.end()}; }

class OptimiserTest : public ::testing::Test {
 protected:
  // A gradient of this norm.
  void set_gradient(double norm) {
    std::vector<float> numbers = testing::normal_numbers<float>(rng_, learner_.gradient().size());
    double squares = 0;
    for (const float x : numbers) squares += double{x} * x;
    for (float& x : numbers) x = static_cast<float>(x * norm / std::sqrt(squares));
    std::copy(numbers.begin(), numbers.end(), learner_.gradient().begin());
  }

  Rng rng_{1};
  network::Learner<float> learner_{testing::random_model("FGNN(4) - Out(2)")};
  TrainOptions options_;
};

TEST_F(OptimiserTest, GivesTheNormBeforeClipping) {
  options_.clip = 1;
  Optimiser optimiser(learner_, options_, 1);
  for (const double norm : {0.5, 1.0, 20.0, 1e-10, 1e10}) {
    set_gradient(norm);
    EXPECT_NEAR(optimiser.step(1e-3, 1), norm, 1e-5 * norm);
  }
  EXPECT_EQ(optimiser.steps, 5u);
}

TEST_F(OptimiserTest, IsAdamOnTheClippedGradient) {
  for (const double clip : {0.0, 2.0, 8.0}) {
    for (const double decay : {0.0, 0.01}) {
      options_.clip = clip;
      options_.weight_decay = decay;
      Optimiser optimiser(learner_, options_, 1);
      auto wanted = values(learner_.weights());
      std::vector<float> first(wanted.size()), second(wanted.size());
      kernels::AdamOptions adam;
      adam.weight_decay = decay;
      for (int step = 1; step <= 3; ++step) {
        set_gradient(4);
        auto gradient = values(learner_.gradient());
        const double scale = clip > 0 && clip < 4 ? clip / 4 : 1;
        for (float& g : gradient) g = static_cast<float>(g * scale);
        kernels::adam_step(wanted.data(), gradient.data(), first.data(), second.data(),
                           wanted.size(), 0.01 * step, 1, step, adam, 1);
        optimiser.step(0.01 * step, 1);
        EXPECT_TRUE(same_numbers(values(learner_.weights()), wanted, 1e-6)) << clip;
        EXPECT_TRUE(same_numbers(optimiser.first, first, 1e-6)) << clip;
        EXPECT_TRUE(same_numbers(optimiser.second, second, 1e-6)) << clip;
      }
    }
  }
}

// Of a sum of losses the gradient is scaled to that of the mean, before anything else.
TEST_F(OptimiserTest, ScalesTheGradientFirst) {
  network::Learner<float> other(testing::random_model("FGNN(4) - Out(2)"));
  options_.clip = 1;
  options_.weight_decay = 0.01;
  Optimiser one(learner_, options_, 1), scaled(other, options_, 1);
  for (const double norm : {0.5, 3.0}) {
    set_gradient(norm);
    std::ranges::transform(learner_.gradient(), other.gradient().begin(),
                           [](float g) { return 8 * g; });
    EXPECT_NEAR(scaled.step(0.01, 0.125), one.step(0.01, 1), 1e-6);
    EXPECT_TRUE(same_numbers(values(other.weights()), values(learner_.weights()), 1e-7));
  }
}

TEST_F(OptimiserTest, IsTheSameOnTwoThreads) {
  network::Learner<float> other(testing::random_model("FGNN(4) - Out(2)"));
  options_.average = 0.9;
  Optimiser one(learner_, options_, 1), two(other, options_, 2);
  for (int step = 0; step < 3; ++step) {
    set_gradient(3);
    std::ranges::copy(learner_.gradient(), other.gradient().begin());
    EXPECT_EQ(one.step(0.01, 1), two.step(0.01, 1));
  }
  EXPECT_EQ(values(learner_.weights()), values(other.weights()));
  EXPECT_EQ(one.average, two.average);
}

TEST_F(OptimiserTest, AveragesStartAtTheWeightsAndFollow) {
  options_.average = 0.25;
  Optimiser optimiser(learner_, options_, 1);
  auto wanted = values(learner_.weights());
  EXPECT_EQ(optimiser.average, wanted);
  for (int step = 1; step <= 5; ++step) {
    set_gradient(1);
    optimiser.step(0.01, 1);
    const double kept = std::min(0.25, (1. + step) / (10. + step));
    const auto now = values(learner_.weights());
    for (std::size_t i = 0; i < now.size(); ++i) {
      wanted[i] = static_cast<float>(kept * wanted[i] + (1 - kept) * now[i]);
    }
    EXPECT_TRUE(same_numbers(optimiser.average, wanted, 1e-6)) << "step " << step;
  }
}

TEST_F(OptimiserTest, WithoutAveragingThereIsNone) {
  EXPECT_TRUE(Optimiser(learner_, options_, 1).average.empty());
}

TEST_F(OptimiserTest, AGradientThatIsNotFiniteChangesNothing) {
  options_.average = 0.9;
  Optimiser optimiser(learner_, options_, 1);
  set_gradient(1);
  optimiser.step(0.01, 1);
  const auto parameters = values(learner_.weights());
  const auto first = optimiser.first, second = optimiser.second, average = optimiser.average;
  for (const float bad : {std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(), std::nanf("")}) {
    for (const std::size_t at : {std::size_t{0}, learner_.gradient().size() - 1}) {
      set_gradient(1);
      learner_.gradient()[at] = bad;
      EXPECT_FALSE(std::isfinite(optimiser.step(0.01, 1)));
      EXPECT_EQ(values(learner_.weights()), parameters);
      EXPECT_EQ(optimiser.first, first);
      EXPECT_EQ(optimiser.second, second);
      EXPECT_EQ(optimiser.average, average);
      EXPECT_EQ(optimiser.steps, 1u);
    }
  }
}

// The squares of single numbers leave float long before the gradient does.
TEST_F(OptimiserTest, HugeGradientsAreClipped) {
  options_.clip = 1;
  Optimiser optimiser(learner_, options_, 1);
  set_gradient(1e30);
  EXPECT_NEAR(optimiser.step(0.01, 1) / 1e30, 1, 1e-5);
  for (const float p : values(learner_.weights())) EXPECT_TRUE(std::isfinite(p));
}

}  // namespace
}  // namespace fgnn::train
