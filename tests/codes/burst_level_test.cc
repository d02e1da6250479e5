#include "fgnn/codes/burst_level.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "fgnn/codes/llr.h"
#include "fgnn/core/random.h"

namespace fgnn::codes {
namespace {

Channel burst_channel(double sigma, double burst_sigma = 0) {
  Channel channel;
  channel.kind = ChannelKind::burst;
  channel.sigma = sigma;
  channel.burst_sigma = burst_sigma;
  return channel;
}

// The density of y when the sign `sent` was sent and bursts have this deviation.
long double density(const Channel& c, double y, int sent, std::size_t level) {
  const auto normal = [&](long double variance) {
    const long double d = static_cast<long double>(y) - sent;
    return std::exp(-d * d / (2 * variance)) /
           std::sqrt(2 * std::numbers::pi_v<long double> * variance);
  };
  const long double quiet = static_cast<long double>(c.sigma) * c.sigma;
  return (1 - c.burst_probability) * normal(quiet) +
         c.burst_probability * normal(quiet + static_cast<long double>(level * level));
}

struct Brute {
  std::vector<double> level, llr;
};

// Every level by itself, with a product over the word; each bit's own factor left out of what the
// others say of the level.
Brute brute_force(const Channel& c, const std::vector<float>& y) {
  const auto weight = [&](std::size_t level, std::size_t without) {
    long double log = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (j == without) continue;
      log += std::log((density(c, y[j], 1, level) + density(c, y[j], -1, level)) / 2);
    }
    return std::exp(log);
  };
  Brute result;
  long double sum = 0;
  std::vector<long double> level;
  for (std::size_t l = 0; l < kBurstLevels; ++l) sum += level.emplace_back(weight(l, y.size()));
  for (const long double w : level) result.level.push_back(static_cast<double>(w / sum));
  for (std::size_t i = 0; i < y.size(); ++i) {
    long double one = 0, zero = 0;
    for (std::size_t l = 0; l < kBurstLevels; ++l) {
      const long double others = weight(l, i);
      one += others * density(c, y[i], 1, l);
      zero += others * density(c, y[i], -1, l);
    }
    result.llr.push_back(static_cast<double>(std::log(one / zero)));
  }
  return result;
}

struct Received {
  std::vector<std::uint8_t> bits;
  std::vector<float> observed;
};

Received receive(const Channel& channel, std::size_t n, std::uint64_t frame) {
  Received r{std::vector<std::uint8_t>(n), std::vector<float>(n)};
  const FrameId id{7, 3, frame};
  random_bits(id, r.bits);
  transmit(channel, id, r.bits, r.observed);
  return r;
}

TEST(BurstLevel, BeliefAndRatiosAreThoseOfBruteForce) {
  for (const double sigma : {0.4, 0.8, 1.3}) {
    for (const double burst : {0.0, 1.0, 3.0, 5.0}) {
      for (const double share : {0.05, 0.5}) {
        Channel channel = burst_channel(sigma, burst);
        channel.burst_probability = share;
        const auto word = receive(channel, 40, 1);
        const Brute want = brute_force(channel, word.observed);
        std::vector<float> llr(40);
        const WordBelief got = word_log_ratios(channel, word.observed, llr);
        double mean = 0;
        for (std::size_t l = 0; l < kBurstLevels; ++l) {
          EXPECT_NEAR(got.level[l], want.level[l], 1e-9);
          mean += static_cast<double>(l) * want.level[l];
        }
        EXPECT_NEAR(got.mean_level, mean, 1e-8);
        for (std::size_t i = 0; i < llr.size(); ++i) {
          EXPECT_NEAR(llr[i], std::clamp(want.llr[i], -30.0, 30.0), 1e-5 * (1 + std::abs(llr[i])))
              << "bit " << i << ", y " << word.observed[i];
        }
      }
    }
  }
}

// Two bits of which the other alone says how strong the bursts are: the ratio of the first must not
// use its own word on the level twice.
TEST(BurstLevel, OfASingleBitTheRatioAveragesOverEqualLevels) {
  const Channel channel = burst_channel(0.8);
  for (const float y : {-4.0f, -0.2f, 0.7f, 2.5f}) {
    std::vector<float> alone(1), marginal(1);
    word_log_ratios(channel, std::vector{y}, alone);
    log_ratios(channel, LlrModel::marginal, std::vector{y}, marginal);
    EXPECT_NEAR(alone[0], marginal[0], 1e-5) << y;
  }
}

TEST(BurstLevel, TheStrengthAndKindOfTheChannelAreNotLookedAt) {
  const auto word = receive(burst_channel(0.8, 4), 30, 2);
  std::vector<float> a(30), b(30);
  word_log_ratios(burst_channel(0.8, 4), word.observed, a);
  Channel other;
  other.kind = ChannelKind::awgn;
  other.sigma = 0.8;
  word_log_ratios(other, word.observed, b);
  EXPECT_EQ(a, b);
}

TEST(BurstLevel, TheOtherSignsGiveTheOtherRatios) {
  for (const double burst : {0.0, 2.0, 5.0}) {
    const Channel channel = burst_channel(0.7, burst);
    const auto word = receive(channel, 60, 3);
    auto turned = word.observed;
    for (float& y : turned) y = -y;
    std::vector<float> llr(60), other(60);
    const auto a = word_log_ratios(channel, word.observed, llr),
               b = word_log_ratios(channel, turned, other);
    for (std::size_t l = 0; l < kBurstLevels; ++l) EXPECT_NEAR(a.level[l], b.level[l], 1e-12);
    for (std::size_t i = 0; i < llr.size(); ++i) EXPECT_NEAR(llr[i], -other[i], 1e-5);
  }
}

TEST(BurstLevel, ExtremesStayFiniteAndKeepTheirSign) {
  for (const double sigma : {1e-4, 0.01, 0.1, 1.0, 10.0}) {
    for (const double share : {0.0, 1e-6, 0.05, 1.0}) {
      Channel channel = burst_channel(sigma);
      channel.burst_probability = share;
      for (const std::vector<float>& y :
           {std::vector<float>{1000, -1000, 0.9f, -1.1f, 0}, std::vector<float>{1e3f, 1e3f, 1e3f},
            std::vector<float>{-1e6f, 0.3f}, std::vector<float>{1, -1, 1, -1, 0.01f, -0.4f}}) {
        std::vector<float> llr(y.size(), std::nanf(""));
        const auto belief = word_log_ratios(channel, y, llr);
        const double sum = std::accumulate(belief.level.begin(), belief.level.end(), 0.0);
        EXPECT_NEAR(sum, 1, 1e-9);
        EXPECT_GE(belief.mean_level, 0);
        EXPECT_LE(belief.mean_level, 5);
        for (std::size_t i = 0; i < y.size(); ++i) {
          ASSERT_TRUE(std::isfinite(llr[i])) << y[i] << ", sigma " << sigma;
          EXPECT_LE(std::abs(llr[i]), 30);
          EXPECT_GE(llr[i] * y[i], 0) << y[i] << ", sigma " << sigma << ", share " << share;
        }
      }
    }
  }
}

// Without bursts there is nothing to average over, however little noise there is.
TEST(BurstLevel, WithoutBurstsTheRatioIsThatOfGaussianNoise) {
  for (const double sigma : {0.01, 0.05, 0.5, 1.0}) {
    Channel channel = burst_channel(sigma);
    channel.burst_probability = 0;
    const std::vector<float> y{-1.2f, -0.3f, -0.001f, 0, 0.02f, 0.9f};
    std::vector<float> llr(y.size());
    word_log_ratios(channel, y, llr);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double want = std::clamp(2 * double{y[i]} / (sigma * sigma), -30.0, 30.0);
      EXPECT_NEAR(llr[i], want, 1e-4 * (1 + std::abs(want))) << y[i] << ", sigma " << sigma;
    }
  }
}

TEST(BurstLevel, NoBitsNoBelief) {
  const auto belief = word_log_ratios(burst_channel(1), {}, {});
  for (const double p : belief.level) EXPECT_NEAR(p, 1.0 / kBurstLevels, 1e-12);
  EXPECT_NEAR(belief.mean_level, 2.5, 1e-12);
}

TEST(BurstLevel, StrongBurstsAreRecognised) {
  for (const std::size_t level : {0, 3, 5}) {
    const Channel channel = burst_channel(0.5, static_cast<double>(level));
    double belief = 0, mean = 0;
    const int words = 200;
    for (int f = 0; f < words; ++f) {
      const auto word = receive(channel, 300, static_cast<std::uint64_t>(f));
      std::vector<float> llr(300);
      const auto b = word_log_ratios(channel, word.observed, llr);
      belief += b.level[level] / words;
      mean += b.mean_level / words;
    }
    EXPECT_GT(belief, level == 0 ? 0.4 : 0.35) << level;  // a sixth without looking
    EXPECT_NEAR(mean, static_cast<double>(level), 1.0);
  }
}

// Both decide by the sign of y; what the word's ratio adds is how far it trusts itself.
TEST(BurstLevel, TheWordsRatiosLoseFewerNatsThanThoseThatKnowOfNoBursts) {
  for (const double burst : {2.0, 5.0}) {
    const Channel channel = burst_channel(0.6, burst);
    double word_loss = 0, sigma_loss = 0;
    int word_wrong = 0, sigma_wrong = 0;
    for (std::uint64_t f = 0; f < 100; ++f) {
      const auto word = receive(channel, 96, f);
      std::vector<float> mine(96), plain(96);
      word_log_ratios(channel, word.observed, mine);
      log_ratios(channel, LlrModel::sigma, word.observed, plain);
      for (std::size_t i = 0; i < 96; ++i) {
        const double sign = word.bits[i] ? 1 : -1;
        word_loss += std::log1p(std::exp(-sign * mine[i]));
        sigma_loss += std::log1p(std::exp(-sign * plain[i]));
        word_wrong += sign * mine[i] <= 0;
        sigma_wrong += sign * plain[i] <= 0;
      }
    }
    EXPECT_LE(word_wrong, sigma_wrong);
    EXPECT_GT(word_wrong, 0) << "no errors: the test says little";
    EXPECT_LT(word_loss, 0.9 * sigma_loss);
  }
}

}  // namespace
}  // namespace fgnn::codes
