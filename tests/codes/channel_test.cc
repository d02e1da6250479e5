#include "fgnn/codes/channel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fgnn/codes/noise.h"
#include "tests/reference/expect_error.h"

namespace fgnn::codes {
namespace {

using testing::expect_error;

struct Moments {
  double mean = 0, variance = 0, kurtosis = 0;
};

Moments moments(const std::vector<double>& x) {
  Moments m;
  for (double v : x) m.mean += v;
  m.mean /= double(x.size());
  double fourth = 0;
  for (double v : x) {
    const double d = v - m.mean;
    m.variance += d * d;
    fourth += d * d * d * d;
  }
  m.variance /= double(x.size());
  m.kurtosis = fourth / double(x.size()) / (m.variance * m.variance);
  return m;
}

constexpr std::size_t kLength = 100, kFrames = 4000;  // 4e5 positions

// What the channel adds to the bits sent.
std::vector<double> noise_of(const Channel& channel) {
  std::vector<double> noise;
  std::vector<std::uint8_t> word(kLength);
  std::vector<float> y(kLength);
  for (std::uint64_t f = 0; f < kFrames; ++f) {
    random_bits({1, 2, f}, word);
    transmit(channel, {1, 2, f}, word, y);
    for (std::size_t i = 0; i < kLength; ++i) noise.push_back(y[i] - (word[i] ? 1.0 : -1.0));
  }
  return noise;
}

TEST(Channel, GaussianNoiseHasItsMoments) {
  const Moments m = moments(noise_of({.kind = ChannelKind::awgn, .sigma = 0.8}));
  EXPECT_NEAR(m.mean, 0, 5 * 0.8 / std::sqrt(4e5));
  EXPECT_NEAR(m.variance, 0.64, 5 * 0.64 * std::sqrt(2 / 4e5));
  EXPECT_NEAR(m.kurtosis, 3, 5 * std::sqrt(24 / 4e5));
}

TEST(Channel, BurstsAddTheirVarianceAndHeavyTails) {
  const Moments m = moments(noise_of({.kind = ChannelKind::burst, .sigma = 0.8, .burst_sigma = 3}));
  // Variance σ² + η σb²; fourth moment 3 (1-η) σ⁴ + 3 η (σ² + σb²)².
  const double variance = 0.64 + 0.05 * 9;
  const double fourth = 3 * 0.95 * 0.64 * 0.64 + 3 * 0.05 * 9.64 * 9.64;
  EXPECT_NEAR(m.variance, variance, 5 * std::sqrt((fourth - variance * variance) / 4e5));
  EXPECT_NEAR(m.kurtosis, fourth / (variance * variance), 0.5);
}

TEST(Channel, WithoutBurstsTheBurstChannelIsTheGaussianOne) {
  EXPECT_EQ(noise_of({.kind = ChannelKind::burst, .sigma = 0.8}),
            noise_of({.kind = ChannelKind::awgn, .sigma = 0.8}));
}

TEST(Channel, FlipsAndErasesItsShare) {
  double flipped = 0, erased = 0;
  for (double d : noise_of({.kind = ChannelKind::bsc, .flip = 0.1})) flipped += std::abs(d) == 2;
  for (double d : noise_of({.kind = ChannelKind::bec, .flip = 0.3})) erased += std::abs(d) == 1;
  EXPECT_NEAR(flipped / 4e5, 0.1, 5 * std::sqrt(0.09 / 4e5));
  EXPECT_NEAR(erased / 4e5, 0.3, 5 * std::sqrt(0.21 / 4e5));
}

TEST(Channel, FadingHasMeanPowerOne) {
  std::vector<std::uint8_t> ones(kLength, 1);
  std::vector<float> y(kLength);
  double sum = 0;
  for (std::uint64_t f = 0; f < kFrames; ++f) {
    transmit({.kind = ChannelKind::rayleigh, .sigma = 0.1}, {1, 2, f}, ones, y);
    for (float v : y) sum += v;  // h² + h n
  }
  EXPECT_NEAR(sum / 4e5, 1, 5 * std::sqrt(1.01 / 4e5));
}

TEST(Channel, NoiseDependsOnSeedCellAndFrameAlone) {
  const Channel channel{.kind = ChannelKind::burst, .sigma = 1, .burst_sigma = 2};
  std::vector<std::uint8_t> word(kLength, 0);
  std::vector<float> a(kLength), b(kLength);
  transmit(channel, {1, 2, 3}, word, a);
  for (FrameId other : {FrameId{2, 2, 3}, FrameId{1, 3, 3}, FrameId{1, 2, 4}, FrameId{2, 1, 3}}) {
    transmit(channel, other, word, b);
    double together = 0;
    for (std::size_t i = 0; i < kLength; ++i) together += (a[i] + 1) * (b[i] + 1);
    EXPECT_NE(a, b);
    EXPECT_LT(std::abs(together) / kLength, 0.7);
  }
  transmit(channel, {1, 2, 3}, word, b);
  EXPECT_EQ(a, b);
  // A shorter word sees the beginning of the same noise.
  std::vector<float> head(37);
  transmit(channel, {1, 2, 3}, std::span(word).first(37), head);
  EXPECT_TRUE(std::equal(head.begin(), head.end(), a.begin()));
}

TEST(Channel, MessagesAreFairBits) {
  std::vector<std::uint8_t> bits(kLength);
  double ones = 0, repeats = 0;
  for (std::uint64_t f = 0; f < kFrames; ++f) {
    random_bits({7, 0, f}, bits);
    for (std::size_t i = 0; i < kLength; ++i) {
      ones += bits[i];
      if (i > 0) repeats += bits[i] == bits[i - 1];
    }
  }
  EXPECT_NEAR(ones / 4e5, 0.5, 5 * 0.5 / std::sqrt(4e5));
  EXPECT_NEAR(repeats / 3.96e5, 0.5, 5 * 0.5 / std::sqrt(4e5));
}

TEST(Snr, ScalesAgreeAsTheirDefinitionsSay) {
  EXPECT_NEAR(sigma_of(0, SnrScale::snr, 0.5), 1, 1e-12);
  EXPECT_NEAR(sigma_of(6, SnrScale::snr, 0.5), std::pow(10, -0.3), 1e-12);
  EXPECT_NEAR(sigma_of(2, SnrScale::ebn0, 0.5), sigma_of(2, SnrScale::snr, 0.9), 1e-12);
  EXPECT_NEAR(sigma_of(1, SnrScale::esn0, 0.3),
              sigma_of(1 + 10 * std::log10(2.0), SnrScale::snr, 1), 1e-12);
  for (SnrScale scale : {SnrScale::snr, SnrScale::ebn0, SnrScale::esn0}) {
    EXPECT_NEAR(decibels_of(sigma_of(1.7, scale, 0.8), scale, 0.8), 1.7, 1e-12);
  }
}

TEST(Channel, RefusesWhatMakesNoSense) {
  const auto refuse = [](Channel channel, const std::string& why) {
    expect_error(ErrorCode::usage, why, [&] { channel.validate(); });
  };
  refuse({.sigma = 0}, "noise: 0 is not a standard deviation");
  refuse({.kind = ChannelKind::burst, .burst_sigma = -1}, "burst noise: -1");
  refuse({.kind = ChannelKind::burst, .burst_probability = 1.5}, "burst probability: 1.5");
  refuse({.kind = ChannelKind::bsc, .flip = 0.6}, "flip probability: 0.6");
  expect_error(ErrorCode::usage, "did you mean 'awgn'?", [] { from_word<ChannelKind>("awg"); });
}

}  // namespace
}  // namespace fgnn::codes
