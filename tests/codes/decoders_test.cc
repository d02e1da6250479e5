#include "fgnn/codes/decoders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fgnn/codes/construct.h"
#include "fgnn/codes/encoder.h"
#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/potentials/parity.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/instruction_sets.h"
#include "tests/reference/random_code.h"
#include "tests/reference/slow_decoder.h"

namespace fgnn::codes {
namespace {

using testing::expect_error;

// Ratios of random words of the code sent over a noisy channel.
std::vector<float> noisy_words(const SparseParityMatrix& checks, std::size_t count, double sigma,
                               std::uint64_t seed) {
  const Encoder encoder(checks);
  const std::size_t n = encoder.length();
  std::vector<std::uint8_t> message(encoder.dimension()), word(n);
  std::vector<float> y(n), llr(count * n);
  const Channel channel{.sigma = sigma};
  for (std::uint64_t f = 0; f < count; ++f) {
    random_bits({seed, 0, f}, message);
    encoder.encode(message, word);
    transmit(channel, {seed, 0, f}, word, y);
    log_ratios(channel, LlrModel::sigma, y, std::span(llr).subspan(f * n, n));
  }
  return llr;
}

Decoded decode(const Decoder& decoder, std::size_t count, std::span<const float> llr) {
  Decoded out;
  out.wants_soft = true;
  decoder.decode({count, llr, {}, {}}, out);
  return out;
}

SparseParityMatrix code_of_weight(std::uint32_t column_weight) {
  return progressive_edge_growth(
      {.length = 48, .checks = 24, .column_weight = column_weight, .seed = 2});
}

struct Case {
  std::string name;
  BpDecoderOptions options;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const float none = std::numeric_limits<float>::infinity();
  for (BpSchedule schedule : {BpSchedule::flooding, BpSchedule::layered}) {
    const std::string suffix = schedule == BpSchedule::flooding ? " flooding" : " layered";
    all.push_back({"sum-product" + suffix, {.schedule = schedule}});
    all.push_back({"clipped sum-product" + suffix, {.schedule = schedule, .clip = 6}});
    const BpDecoderOptions min{.rule = Rule::min_sum, .schedule = schedule, .clip = none};
    all.push_back({"min-sum" + suffix, min});
    BpDecoderOptions normalised = min, offset = min, clipped = min;
    normalised.scale = 0.8f;
    offset.offset = 0.3f;
    clipped.clip = 4;
    all.push_back({"normalised" + suffix, normalised});
    all.push_back({"offset" + suffix, offset});
    all.push_back({"clipped" + suffix, clipped});
    for (BpDecoderOptions options : {min, normalised, offset, clipped}) {
      options.precision = Precision::int8;
      options.step = 0.1875f;
      all.push_back({"int8, scale " + std::to_string(options.scale) + suffix, options});
    }
  }
  return all;
}

TEST(BpLanes, EveryKernelEqualsItsSlowTwin) {
  constexpr std::size_t kFrames = 23;  // no multiple of any number of lanes
  for (std::uint32_t weight : {2u, 3u, 5u}) {
    const SparseParityMatrix checks = code_of_weight(weight);
    const std::size_t n = checks.num_columns();
    const std::vector<float> llr = noisy_words(checks, kFrames, 0.7, 5);
    for (Case c : cases()) {
      for (std::uint32_t iterations : {1u, 2u, 6u}) {
        SCOPED_TRACE(c.name + ", weight " + std::to_string(weight));
        c.options.iterations = iterations;
        c.options.stop = Stop::never;
        // Rounding grows from iteration to iteration; a clipped pair of probabilities has a sum of
        // one but for the clip.
        const bool rough = iterations > 2 || c.options.clip < 10;
        const bool whole = c.options.precision == Precision::int8;  // which rounds nothing
        const double tolerance = whole ? 0 : rough ? 5e-3 : 2e-4;
        const Decoded fast =
            decode(*make_bp_decoder(checks, c.options, LlrModel::sigma), kFrames, llr);
        for (std::size_t f = 0; f < kFrames; ++f) {
          const auto slow =
              testing::slow_decode(checks, c.options, std::span(llr).subspan(f * n, n));
          EXPECT_EQ(fast.iterations[f], iterations);
          for (std::size_t b = 0; b < n; ++b) {
            // Beyond this the fast one is certain enough.
            const double expected = std::clamp(slow.soft[b], -50.0, 50.0);
            const double got = std::clamp(double(fast.soft[f * n + b]), -50.0, 50.0);
            ASSERT_NEAR(got, expected, tolerance * (1 + std::abs(expected)));
            if (std::abs(slow.soft[b]) > 1e-2) {
              ASSERT_EQ(fast.bits[f * n + b], slow.bits[b]);
            }
          }
        }
      }
    }
  }
}

TEST(BpLanes, StopsWhereTheSlowTwinStops) {
  constexpr std::size_t kFrames = 150;
  const SparseParityMatrix checks = code_of_weight(3);
  const std::size_t n = checks.num_columns();
  const std::vector<float> llr = noisy_words(checks, kFrames, 0.6, 6);
  for (Case c : cases()) {
    for (Stop stop : {Stop::syndrome, Stop::first}) {
      SCOPED_TRACE(c.name);
      c.options.stop = stop;
      const Decoded fast =
          decode(*make_bp_decoder(checks, c.options, LlrModel::sigma), kFrames, llr);
      std::size_t same = 0, at_once = 0;
      for (std::size_t f = 0; f < kFrames; ++f) {
        const auto slow = testing::slow_decode(checks, c.options, std::span(llr).subspan(f * n, n));
        // Words that never settle may part ways by rounding.
        same += fast.iterations[f] == slow.iterations && fast.valid[f] == slow.valid &&
                std::equal(slow.bits.begin(), slow.bits.end(),
                           fast.bits.begin() + static_cast<std::ptrdiff_t>(f * n));
        at_once += fast.iterations[f] == 0;
        EXPECT_EQ(fast.valid[f], satisfies(checks, std::span(fast.bits).subspan(f * n, n)));
      }
      EXPECT_GE(same, c.options.precision == Precision::int8 ? kFrames : kFrames - 5);
      EXPECT_EQ(at_once > 0, stop == Stop::first);
    }
  }
}

TEST(BpLanes, AWordsAnswerDoesNotDependOnItsNeighbours) {
  constexpr std::size_t kFrames = 70;
  const SparseParityMatrix checks = code_of_weight(3);
  const std::size_t n = checks.num_columns();
  const std::vector<float> llr = noisy_words(checks, kFrames, 0.8, 7);
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto decoder = make_bp_decoder(checks, c.options, LlrModel::sigma);
    const Decoded together = decode(*decoder, kFrames, llr);
    for (std::size_t f = 0; f < kFrames; ++f) {
      const Decoded alone = decode(*decoder, 1, std::span(llr).subspan(f * n, n));
      ASSERT_EQ(alone.iterations[0], together.iterations[f]);
      for (std::size_t b = 0; b < n; ++b) ASSERT_EQ(alone.soft[b], together.soft[f * n + b]);
    }
  }
}

TEST(BpLanes, EveryInstructionSetDecodesAlike) {
  constexpr std::size_t kFrames = 150;
  const SparseParityMatrix checks = code_of_weight(3);
  const std::vector<float> llr = noisy_words(checks, kFrames, 0.7, 9);
  for (Case c : cases()) {
    c.options.iterations = 3;
    const auto decoder = make_bp_decoder(checks, c.options, LlrModel::sigma);
    const Decoded want = decode(*decoder, kFrames, llr);
    std::size_t sets = 0;
    testing::on_every_instruction_set([&](const std::string& name) {
      SCOPED_TRACE(c.name + " with " + name);
      ++sets;
      const Decoded got = decode(*decoder, kFrames, llr);
      const bool whole = c.options.precision == Precision::int8;
      for (std::size_t i = 0; i < got.soft.size(); ++i) {
        ASSERT_NEAR(got.soft[i], want.soft[i], whole ? 0 : 1e-3 * (1 + std::abs(want.soft[i])));
      }
    });
    EXPECT_GT(sets, 0u);
  }
}

TEST(BpLanes, EqualsSumProductOnTheFactorGraphOfItsChecks) {
  Rng rng(3);
  for (int trial = 0; trial < 10; ++trial) {
    const SparseParityMatrix checks = testing::hamming();
    std::vector<float> llr(7);
    for (float& l : llr) l = static_cast<float>(rng.uniform(-4, 4));
    GraphBuilder builder;
    const auto x = builder.variables("x", 7, 2);
    for (std::uint32_t b = 0; b < 7; ++b) builder.unary(x[b], {0.0, double(llr[b])});
    for (std::uint32_t c = 0; c < checks.num_rows(); ++c) {
      std::vector<VariableId> scope;
      for (std::uint32_t b : checks.row(c)) scope.push_back(x[b]);
      builder.factor(scope, Parity());
    }
    const FactorGraph graph = std::move(builder).build();
    const Result expected = fgnn::sum_product(graph, {.schedule = fgnn::Schedule::flooding,
                                                      .iterations = 1000,
                                                      .tolerance = 1e-10,
                                                      .damping = 0});
    if (expected.status != Status::converged) continue;
    for (BpSchedule schedule : {BpSchedule::flooding, BpSchedule::layered}) {
      const BpDecoderOptions options{.schedule = schedule, .stop = Stop::never, .iterations = 300};
      const Decoded got = decode(*make_bp_decoder(checks, options, LlrModel::sigma), 1, llr);
      for (VariableId b = 0; b < 7; ++b) {
        EXPECT_NEAR(1 / (1 + std::exp(-got.soft[b])), expected.marginals[b][1], 1e-4);
      }
    }
  }
}

TEST(BpLanes, ErasuresOfACycleFreeCodeAreFilledIn) {
  // x0 + x1 + x2 = 0, x2 + x3 = 0: from x0 = 1, x1 = 0 follow x2 = x3 = 1.
  const std::vector<std::vector<std::uint32_t>> rows{{0, 1, 2}, {2, 3}};
  const SparseParityMatrix checks(4, rows);
  const std::vector<float> llr{kCertain, -kCertain, 0, 0};
  for (const char* name : {"sum-product", "sum-product:schedule=layered", "min-sum", "osd"}) {
    const Decoded got = decode(*make_decoder(checks, name), 1, llr);
    EXPECT_EQ(got.bits, (std::vector<std::uint8_t>{1, 0, 1, 1})) << name;
    EXPECT_TRUE(got.valid[0]);
  }
}

TEST(BpLanes, AlmostCertainMessagesStayFinite) {
  const SparseParityMatrix checks = code_of_weight(5);
  std::vector<float> llr(2 * 48);
  for (std::size_t i = 0; i < llr.size(); ++i) llr[i] = i % 3 == 0 ? 300.0f : -300.0f;
  for (const Case& c : cases()) {
    const Decoded got = decode(*make_bp_decoder(checks, c.options, LlrModel::sigma), 2, llr);
    for (float l : got.soft) EXPECT_TRUE(std::isfinite(l)) << c.name;
  }
}

TEST(BpLanes, LayeredTotalsBeyondTheRangeOfAFloatAreNotForgotten) {
  // Contradictions that are almost certain: five messages of up to 27 agree on a bit, and change
  // their minds.
  constexpr std::size_t kFrames = 40;
  const SparseParityMatrix checks = code_of_weight(5);
  const std::size_t n = checks.num_columns();
  Rng rng(10);
  std::vector<float> llr(kFrames * n);
  for (float& l : llr) l = static_cast<float>(rng.uniform(-35, 35));
  double largest = 0;
  for (std::uint32_t iterations : {1u, 2u, 3u, 4u}) {
    const BpDecoderOptions options{
        .schedule = BpSchedule::layered, .stop = Stop::never, .iterations = iterations};
    const Decoded fast = decode(*make_bp_decoder(checks, options, LlrModel::sigma), kFrames, llr);
    for (std::size_t f = 0; f < kFrames; ++f) {
      const auto slow = testing::slow_decode(checks, options, std::span(llr).subspan(f * n, n));
      for (std::size_t b = 0; b < n; ++b) {
        largest = std::max(largest, std::abs(slow.soft[b]));
        ASSERT_NEAR(fast.soft[f * n + b], slow.soft[b], 1e-3 * (1 + std::abs(slow.soft[b])));
      }
    }
  }
  EXPECT_GT(largest, std::log(std::numeric_limits<float>::max()));
}

TEST(BpLanes, EmptyRowsAndUncheckedBitsAreHarmless) {
  const std::vector<std::vector<std::uint32_t>> rows{{}, {0, 1}, {1}};
  const SparseParityMatrix checks(3, rows);  // x0 = x1 = 0, x2 free
  for (const char* name : {"sum-product", "sum-product:schedule=layered", "min-sum",
                           "min-sum:schedule=layered", "osd", "bitwise"}) {
    const Decoded got = decode(*make_decoder(checks, name), 1, std::vector<float>{-1, -1, 1});
    EXPECT_EQ(got.bits, (std::vector<std::uint8_t>{0, 0, 1})) << name;
    EXPECT_TRUE(got.valid[0]) << name;
  }
}

TEST(BpLanes, DecodesACodeOfAHundredThousandBits) {
  const SparseParityMatrix checks = random_regular({.length = 100000, .seed = 1});
  const std::size_t n = 100000;
  std::vector<std::uint8_t> zeros(n, 0);
  std::vector<float> y(n), llr(n);
  const Channel channel{.sigma = sigma_of(1.6, SnrScale::ebn0, 0.5)};  // threshold: 1.1 dB
  transmit(channel, {4, 0, 0}, zeros, y);
  log_ratios(channel, LlrModel::sigma, y, llr);
  const Decoded got = decode(*make_decoder(checks, "normalised-min-sum:schedule=layered"), 1, llr);
  EXPECT_TRUE(got.valid[0]);
  EXPECT_EQ(got.bits, zeros);
}

TEST(Osd, OfFullOrderIsMaximumLikelihood) {
  Rng rng(9);
  for (int trial = 0; trial < 60; ++trial) {
    const auto n = static_cast<std::uint32_t>(5 + rng.below(4));
    const SparseParityMatrix checks = testing::random_matrix(rng, n - 4, n);
    const Encoder encoder(checks);
    if (encoder.dimension() > 4) continue;
    std::vector<float> llr(n);
    for (float& l : llr) l = static_cast<float>(3 * rng.normal());
    // All words with their likelihoods.
    double best = -1e9, total = 0;
    std::vector<std::uint8_t> ml, word(n);
    std::vector<double> ones(n, 0);
    for (std::uint32_t x = 0; x < 1u << n; ++x) {
      double score = 0;
      for (std::uint32_t c = 0; c < n; ++c) {
        word[c] = x >> c & 1;
        score += word[c] ? llr[c] : 0;
      }
      if (!satisfies(checks, word)) continue;
      if (score > best) best = score, ml = word;
      total += std::exp(score);
      for (std::uint32_t c = 0; c < n; ++c) ones[c] += word[c] * std::exp(score);
    }
    const Decoded got = decode(*make_decoder(checks, "osd:order=4"), 1, llr);
    EXPECT_EQ(got.bits, ml);
    const Decoded bits = decode(*make_decoder(checks, "osd:order=4,output=bits"), 1, llr);
    for (std::uint32_t c = 0; c < n; ++c) {
      EXPECT_NEAR(1 / (1 + std::exp(-bits.soft[c])), ones[c] / total, 1e-3);
    }
  }
}

TEST(Osd, HigherOrdersAreNoWorse) {
  const SparseParityMatrix checks = code_of_weight(3);
  const std::vector<float> llr = noisy_words(checks, 200, 0.9, 8);
  const auto distance = [&](const Decoded& d) {
    double sum = 0;
    for (std::size_t i = 0; i < llr.size(); ++i) {
      if ((llr[i] > 0) != (d.bits[i] != 0)) sum += std::abs(llr[i]);
    }
    return sum;
  };
  double last = 1e30;
  for (const char* order : {"0", "1", "2", "3", "4"}) {
    const Decoded got = decode(*make_decoder(checks, std::string("osd:order=") + order), 200, llr);
    for (std::uint8_t valid : got.valid) EXPECT_TRUE(valid);
    EXPECT_LE(distance(got), last);
    last = distance(got);
  }
}

TEST(Decoders, RefuseWhatTheyDoNotKnow) {
  const SparseParityMatrix checks = testing::hamming();
  const auto refuse = [&](const std::string& text, const std::string& why) {
    expect_error(ErrorCode::usage, why, [&] { make_decoder(checks, text); });
  };
  refuse("sum-prodct",
         "decoder 'sum-prodct': there is no such decoder; did you mean 'sum-product'?");
  refuse("sum-product:order=3", "'order' is not a setting of decoder 'sum-product'");
  refuse("sum-product:iterations", "'iterations' is not SETTING=VALUE");
  refuse("sum-product:iterations=0", "iterations: 0 is too few");
  refuse("sum-product:iterations=x", "iterations: 'x' is not a whole number");
  refuse("sum-product:schedule=layred", "did you mean 'layered'?");
  refuse("sum-product:clip=50", "clip: 50");
  refuse("min-sum:scale=1.5", "scale: 1.5");
  refuse("min-sum:step=0", "step: 0 must be above 0");
  refuse("min-sum:precision=int9", "did you mean 'int8'?");
  refuse("sum-product:precision=int8", "'precision' is not a setting of decoder 'sum-product'");
  refuse("osd:order=5", "order: 5 is not from 0 to 4");
  refuse("bitwise:llr=all", "llr: 'all' is not a model of noise");
}

TEST(Decoders, ComeFromSourcesByPrefix) {
  add_decoder_source("copy", [](const SparseParityMatrix& checks, const std::string& rest) {
    return make_decoder(checks, rest);
  });
  const auto decoder = make_decoder(testing::hamming(), "copy:bitwise:llr=marginal");
  EXPECT_EQ(decoder->llr(), LlrModel::marginal);
}

TEST(DecodersDeathTest, MayBeAddedByAProgram) {
  const auto adds_and_decodes = [] {
    add_decoder({"mine",
                 "sum-product of one iteration",
                 "edges",
                 {"llr"},
                 {},
                 [](const SparseParityMatrix& checks, const DecoderOptions& options) {
                   BpDecoderOptions bp = options.bp;
                   bp.iterations = 1;
                   return make_bp_decoder(checks, bp, options.llr);
                 }});
    const auto decoder = make_decoder(testing::hamming(), "mine:llr=marginal");
    std::exit(decoder->llr() == LlrModel::marginal && decoders().back().name == "mine" ? 0 : 1);
  };
  EXPECT_EXIT(adds_and_decodes(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fgnn::codes
