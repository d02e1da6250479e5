#include "fgnn/train/optimiser.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fgnn/kernels/adam.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::train {
namespace {

using testing::same_numbers;

std::vector<float> values(const at::Tensor& t) {
  return {t.data_ptr<float>(), t.data_ptr<float>() + t.numel()};
}

class OptimiserTest : public ::testing::Test {
 protected:
  OptimiserTest() : module_(testing::random_model("FGNN(4) - Out(2)")) { at::set_num_threads(1); }

  // A gradient of this norm.
  void set_gradient(double norm) {
    at::Tensor g = module_.gradients();
    std::vector<float> numbers = testing::normal_numbers<float>(rng_, g.numel());
    double squares = 0;
    for (const float x : numbers) squares += double{x} * x;
    for (float& x : numbers) x = static_cast<float>(x * norm / std::sqrt(squares));
    std::copy(numbers.begin(), numbers.end(), g.data_ptr<float>());
  }

  Rng rng_{1};
  nn::Module module_;
  TrainOptions options_;
};

TEST_F(OptimiserTest, GivesTheNormBeforeClipping) {
  options_.clip = 1;
  Optimiser optimiser(module_, options_, 1);
  for (const double norm : {0.5, 1.0, 20.0, 1e-10, 1e10}) {
    set_gradient(norm);
    EXPECT_NEAR(optimiser.step(1e-3), norm, 1e-5 * norm);
  }
  EXPECT_EQ(optimiser.steps, 5u);
}

TEST_F(OptimiserTest, IsAdamOnTheClippedGradient) {
  for (const double clip : {0.0, 2.0, 8.0}) {
    for (const double decay : {0.0, 0.01}) {
      options_.clip = clip;
      options_.weight_decay = decay;
      Optimiser optimiser(module_, options_, 1);
      auto wanted = values(module_.parameters());
      std::vector<float> first(wanted.size()), second(wanted.size());
      kernels::AdamOptions adam;
      adam.weight_decay = decay;
      for (int step = 1; step <= 3; ++step) {
        set_gradient(4);
        auto gradient = values(module_.gradients());
        const double scale = clip > 0 && clip < 4 ? clip / 4 : 1;
        for (float& g : gradient) g = static_cast<float>(g * scale);
        kernels::adam_step(wanted.data(), gradient.data(), first.data(), second.data(),
                           wanted.size(), 0.01 * step, 1, step, adam, 1);
        optimiser.step(0.01 * step);
        EXPECT_TRUE(same_numbers(values(module_.parameters()), wanted, 1e-6)) << clip;
        EXPECT_TRUE(same_numbers(optimiser.first, first, 1e-6)) << clip;
        EXPECT_TRUE(same_numbers(optimiser.second, second, 1e-6)) << clip;
      }
    }
  }
}

TEST_F(OptimiserTest, IsTheSameOnTwoThreads) {
  nn::Module other(testing::random_model("FGNN(4) - Out(2)"));
  options_.average = 0.9;
  Optimiser one(module_, options_, 1), two(other, options_, 2);
  for (int step = 0; step < 3; ++step) {
    set_gradient(3);
    other.gradients().copy_(module_.gradients());
    EXPECT_EQ(one.step(0.01), two.step(0.01));
  }
  EXPECT_EQ(values(module_.parameters()), values(other.parameters()));
  EXPECT_EQ(one.average, two.average);
}

TEST_F(OptimiserTest, AveragesStartAtTheWeightsAndFollow) {
  options_.average = 0.25;
  Optimiser optimiser(module_, options_, 1);
  auto wanted = values(module_.parameters());
  EXPECT_EQ(optimiser.average, wanted);
  for (int step = 1; step <= 5; ++step) {
    set_gradient(1);
    optimiser.step(0.01);
    const double kept = std::min(0.25, (1. + step) / (10. + step));
    const auto now = values(module_.parameters());
    for (std::size_t i = 0; i < now.size(); ++i) {
      wanted[i] = static_cast<float>(kept * wanted[i] + (1 - kept) * now[i]);
    }
    EXPECT_TRUE(same_numbers(optimiser.average, wanted, 1e-6)) << "step " << step;
  }
}

TEST_F(OptimiserTest, WithoutAveragingThereIsNone) {
  EXPECT_TRUE(Optimiser(module_, options_, 1).average.empty());
}

TEST_F(OptimiserTest, AGradientThatIsNotFiniteChangesNothing) {
  options_.average = 0.9;
  Optimiser optimiser(module_, options_, 1);
  set_gradient(1);
  optimiser.step(0.01);
  const auto parameters = values(module_.parameters());
  const auto first = optimiser.first, second = optimiser.second, average = optimiser.average;
  for (const float bad : {std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(), std::nanf("")}) {
    for (const std::int64_t at : {std::int64_t{0}, module_.gradients().numel() - 1}) {
      set_gradient(1);
      module_.gradients().data_ptr<float>()[at] = bad;
      EXPECT_FALSE(std::isfinite(optimiser.step(0.01)));
      EXPECT_EQ(values(module_.parameters()), parameters);
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
  Optimiser optimiser(module_, options_, 1);
  set_gradient(1e30);
  EXPECT_NEAR(optimiser.step(0.01) / 1e30, 1, 1e-5);
  for (const float p : values(module_.parameters())) EXPECT_TRUE(std::isfinite(p));
}

}  // namespace
}  // namespace fgnn::train
