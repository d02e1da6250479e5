#include "fgnn/learned/received.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fgnn/codes/burst_level.h"
#include "fgnn/codes/decoders.h"
#include "fgnn/codes/encoder.h"
#include "fgnn/codes/llr.h"
#include "tests/reference/random_code.h"

namespace fgnn::learned {
namespace {

codes::Channel bursts(double sigma) {
  codes::Channel channel;
  channel.kind = codes::ChannelKind::burst;
  channel.sigma = sigma;
  channel.burst_sigma = 3;
  return channel;
}

const std::vector<float> kTwoWords{1.2f, -0.3f, 0.1f,  6,     -1.4f, 0.2f, -0.8f,
                                   0.9f, 0.4f,  -2.1f, -0.2f, 1,     -1,   0.3f};

struct Ratios {
  std::vector<float> word = std::vector<float>(14), sigma = std::vector<float>(14);
  double level[2];
  explicit Ratios(const codes::Channel& channel) {
    for (std::size_t w : {0, 1}) {
      const auto y = std::span(kTwoWords).subspan(7 * w, 7);
      level[w] = codes::word_log_ratios(channel, y, std::span(word).subspan(7 * w, 7)).mean_level;
      codes::log_ratios(channel, codes::LlrModel::sigma, y, std::span(sigma).subspan(7 * w, 7));
    }
  }
};

TEST(ReceivedView, BitsAreSeenAsDocumented) {
  const auto channel = bursts(0.8);
  const Ratios ratios(channel);
  for (const char* llr : {"word", "sigma"}) {
    const ReceivedView view(testing::hamming(), ReceivedOptions::of({{"llr", llr}}));
    const auto seen = view.look(channel, kTwoWords);
    EXPECT_EQ(view.schema().variable_features, 4u);
    EXPECT_EQ(view.schema().relations.at(0).factor_features, 0u);
    EXPECT_EQ(seen.reference, std::vector<std::uint8_t>(14, 0));
    EXPECT_EQ(seen.batch.copies, 2u);
    ASSERT_EQ(seen.batch.variable.size(), 14 * 4u);
    for (std::size_t i = 0; i < 14; ++i) {
      const double* row = seen.batch.variable.data() + 4 * i;
      EXPECT_NEAR(row[1] - row[0], llr == std::string("word") ? ratios.word[i] : ratios.sigma[i],
                  1e-6);
      EXPECT_EQ(row[0], -row[1]);
      EXPECT_NEAR(row[2], kTwoWords[i] / 0.8 / 4, 1e-7);
      EXPECT_NEAR(row[3], ratios.level[i / 7] / 5, 1e-12);
    }
  }
}

TEST(ReceivedView, FlipsAreSeenAsDocumented) {
  const auto channel = bursts(0.8);
  const Ratios ratios(channel);
  const ReceivedView view(testing::hamming(),
                          ReceivedOptions::of({{"view", "flips"}, {"positions", "yes"}}));
  const auto seen = view.look(channel, kTwoWords);
  const auto checks = testing::hamming();
  const std::size_t wide = 3 + 7, rows = checks.num_rows();
  ASSERT_EQ(view.schema().variable_features, wide);
  ASSERT_EQ(view.schema().relations.at(0).factor_features, 1 + rows);
  for (std::size_t i = 0; i < 14; ++i) {
    const double* row = seen.batch.variable.data() + wide * i;
    EXPECT_EQ(seen.reference[i], ratios.word[i] >= 0);
    EXPECT_NEAR(row[0], std::abs(ratios.word[i]) / 4, 1e-6);
    EXPECT_NEAR(row[1], std::abs(kTwoWords[i]) / 0.8 / 4, 1e-6);
    EXPECT_NEAR(row[2], ratios.level[i / 7] / 5, 1e-12);
    for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(row[3 + j], j == i % 7 ? 1 : 0);
  }
  const auto& factor = seen.batch.relations.at(0).factor;
  ASSERT_EQ(factor.size(), 2 * rows * (1 + rows));
  for (std::size_t w : {0, 1}) {
    for (std::uint32_t c = 0; c < rows; ++c) {
      int ones = 0;
      for (const auto v : checks.row(c)) ones += seen.reference[7 * w + v];
      const double* row = factor.data() + (w * rows + c) * (1 + rows);
      EXPECT_EQ(row[0], ones % 2 == 1 ? 1 : -1);
      for (std::size_t j = 0; j < rows; ++j) EXPECT_EQ(row[1 + j], j == c ? 1 : 0);
    }
  }
}

// Adding a word of the code turns its ones round, on the channel and in the answer; as flips
// nothing is seen of it.
TEST(ReceivedView, FlipsDoNotDependOnTheWordThatWasSent) {
  const auto channel = bursts(0.7);
  const ReceivedView view(testing::hamming(),
                          ReceivedOptions::of({{"view", "flips"}, {"beliefs", "3+10"}}));
  const codes::Encoder encoder(testing::hamming());
  const auto seen = view.look(channel, kTwoWords);
  for (std::uint64_t k = 0; k < 16; ++k) {
    std::vector<std::uint8_t> message(encoder.dimension()), word(7);
    for (std::size_t i = 0; i < message.size(); ++i) message[i] = (k >> i) & 1;
    encoder.encode(message, word);
    auto observed = kTwoWords;
    for (std::size_t i = 0; i < 14; ++i) {
      if (word[i % 7] != 0) observed[i] = -observed[i];
    }
    const auto other = view.look(channel, observed);
    EXPECT_EQ(other.batch.relations[0].factor, seen.batch.relations[0].factor);
    for (std::size_t i = 0; i < 14; ++i) {
      EXPECT_EQ(other.reference[i], seen.reference[i] ^ word[i % 7]);
    }
    for (std::size_t i = 0; i < seen.batch.variable.size(); ++i) {
      EXPECT_NEAR(other.batch.variable[i], seen.batch.variable[i], 1e-4);
    }
  }
}

TEST(ReceivedView, OpinionsAreThoseOfTheOtherDecoders) {
  const auto channel = bursts(0.8);
  const Ratios ratios(channel);
  const ReceivedView view(testing::hamming(),
                          ReceivedOptions::of({{"beliefs", "2+7"}, {"lists", "1"}}));
  const auto seen = view.look(channel, kTwoWords);
  ASSERT_EQ(view.schema().variable_features, 7u);
  std::size_t column = 4;
  for (const char* text : {"sum-product:iterations=2,stop=never",
                           "sum-product:iterations=7,stop=never", "osd:order=1,output=bits"}) {
    codes::Decoded out;
    out.wants_soft = true;
    codes::make_decoder(testing::hamming(), text)
        ->decode({2, ratios.word, kTwoWords, channel}, out);
    for (std::size_t i = 0; i < 14; ++i) {
      EXPECT_NEAR(seen.batch.variable[7 * i + column], std::clamp(out.soft[i], -16.f, 16.f) / 8,
                  1e-6)
          << text;
    }
    ++column;
  }
}

}  // namespace
}  // namespace fgnn::learned
