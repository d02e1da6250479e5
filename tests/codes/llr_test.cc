#include "fgnn/codes/llr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace fgnn::codes {
namespace {

double normal_density(double x, double variance) {
  return std::exp(-0.5 * x * x / variance) / std::sqrt(2 * std::numbers::pi * variance);
}

// Density of y by numeric integration over the burst z: y = mean + n + p z.
double density(double y, double mean, double sigma, double burst_sigma) {
  const double quiet = normal_density(y - mean, sigma * sigma);
  if (burst_sigma == 0) return quiet;
  double burst = 0;
  const double step = 0.005;
  for (double z = -40; z < 40; z += step) {
    burst += step * normal_density(z, burst_sigma * burst_sigma) *
             normal_density(y - mean - z, sigma * sigma);
  }
  return 0.95 * quiet + 0.05 * burst;
}

std::vector<float> ratios(const Channel& channel, LlrModel model, const std::vector<float>& y) {
  std::vector<float> llr(y.size());
  log_ratios(channel, model, y, llr);
  return llr;
}

const std::vector<float> kObserved{-9, -4.5, -2, -1, -0.3f, 0, 0.1f, 0.8f, 1.5f, 3, 6.5f, 12};

TEST(Llr, OfGaussianNoiseIsTwoYBySigmaSquared) {
  const auto llr = ratios({.sigma = 0.5}, LlrModel::marginal, kObserved);  // no bursts, no mixture
  for (std::size_t i = 0; i < llr.size(); ++i) EXPECT_FLOAT_EQ(llr[i], 8 * kObserved[i]);
  const Channel burst{.kind = ChannelKind::burst, .sigma = 0.5, .burst_sigma = 3};
  EXPECT_EQ(ratios(burst, LlrModel::sigma, kObserved), llr);
}

TEST(Llr, OfTheMixtureEqualsNumericIntegration) {
  for (double sigma : {1.0, 0.7}) {
    for (double burst_sigma : {0.0, 1.0, 2.5, 5.0}) {
      const Channel channel{.kind = ChannelKind::burst, .sigma = sigma, .burst_sigma = burst_sigma};
      const auto llr = ratios(channel, LlrModel::mixture, kObserved);
      for (std::size_t i = 0; i < llr.size(); ++i) {
        const double y = kObserved[i];
        const double expected =
            std::log(density(y, 1, sigma, burst_sigma) / density(y, -1, sigma, burst_sigma));
        EXPECT_NEAR(llr[i], expected, 1e-4 * (1 + std::abs(expected))) << y;
      }
    }
  }
}

TEST(Llr, MarginalAveragesTheDensitiesOverSixStrengths) {
  const double sigma = 0.8;
  const Channel channel{.kind = ChannelKind::burst, .sigma = sigma, .burst_sigma = 2};
  const auto llr = ratios(channel, LlrModel::marginal, kObserved);
  for (std::size_t i = 0; i < llr.size(); ++i) {
    double one = 0, zero = 0;
    for (int s = 0; s <= 5; ++s) {
      one += density(kObserved[i], 1, sigma, s);
      zero += density(kObserved[i], -1, sigma, s);
    }
    EXPECT_NEAR(llr[i], std::log(one / zero), 1e-4 * (1 + std::abs(std::log(one / zero))));
  }
}

TEST(Llr, OfBinaryChannels) {
  const auto bsc = ratios({.kind = ChannelKind::bsc, .flip = 0.1}, LlrModel::sigma, {1, -1});
  EXPECT_NEAR(bsc[0], std::log(9), 1e-6);
  EXPECT_NEAR(bsc[1], -std::log(9), 1e-6);
  EXPECT_EQ(ratios({.kind = ChannelKind::bsc, .flip = 0}, LlrModel::sigma, {1})[0], kCertain);
  const auto bec = ratios({.kind = ChannelKind::bec, .flip = 0.1}, LlrModel::sigma, {1, 0, -1});
  EXPECT_EQ(bec, (std::vector<float>{kCertain, 0, -kCertain}));
}

}  // namespace
}  // namespace fgnn::codes
