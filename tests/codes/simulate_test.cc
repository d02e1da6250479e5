#include "fgnn/codes/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "fgnn/codes/construct.h"
#include "fgnn/codes/decoders.h"
#include "tests/places.h"
#include "tests/reference/data_folder.h"
#include "tests/reference/random_code.h"

namespace fgnn::codes {
namespace {

using Decoders = std::vector<std::unique_ptr<Decoder>>;

Decoders make(const Code& code, const std::vector<std::string>& names) {
  Decoders all;
  for (const auto& name : names) all.push_back(make_decoder(code.checks, name));
  return all;
}

std::vector<ErrorCounts> run(const Code& code, const Channel& channel, const Decoders& decoders,
                             const SimulationOptions& options,
                             std::vector<ErrorCounts> counts = {}) {
  counts.resize(decoders.size());
  simulate(code, channel, decoders, options, counts);
  return counts;
}

void expect_equal(const ErrorCounts& a, const ErrorCounts& b) {
  EXPECT_EQ(a.frames, b.frames);
  EXPECT_EQ(a.bit_errors, b.bit_errors);
  EXPECT_EQ(a.squared_bit_errors, b.squared_bit_errors);
  EXPECT_EQ(a.frame_errors, b.frame_errors);
  EXPECT_EQ(a.undetected, b.undetected);
  EXPECT_EQ(a.iterations, b.iterations);
}

Code small_code() {
  return {"peg", progressive_edge_growth({.length = 96, .checks = 48, .seed = 1})};
}

const Channel kBurst{.kind = ChannelKind::burst, .sigma = 0.8, .burst_sigma = 2};

// Asks to stop after so many rounds.
struct StopsAfter : Observer {
  explicit StopsAfter(int n) : left(n) {}
  void on_progress(const Progress& p) override {
    if (!p.over && --left == 0) source.request_stop();
    done = p.done;
    total = p.total;
  }
  int left;
  double done = 0, total = 0;
  StopSource source;
};

TEST(Simulate, StopsAfterARoundAndGoesOnToTheSameCounts) {
  const Code code = small_code();
  const Decoders decoders = make(code, {"min-sum", "bitwise"});
  SimulationOptions options{.seed = 3, .max_frames = 30000, .threads = 2};
  const auto whole = run(code, kBurst, decoders, options);
  StopsAfter watcher(2);
  options.control = {&watcher, watcher.source.token()};
  std::vector<ErrorCounts> counts(2);
  EXPECT_FALSE(simulate(code, kBurst, decoders, options, counts));
  EXPECT_GT(counts[0].frames, 0u);
  EXPECT_LT(counts[0].frames, 30000u);
  EXPECT_EQ(watcher.done, static_cast<double>(counts[0].frames + counts[1].frames));
  EXPECT_EQ(watcher.total, 60000);
  options.control = {};
  EXPECT_TRUE(simulate(code, kBurst, decoders, options, counts));
  for (std::size_t d = 0; d < 2; ++d) expect_equal(counts[d], whole[d]);
}

// Words where any number would do: sanitizers take a second for each hundred.
constexpr std::uint64_t some(std::uint64_t words) { return words / FGNN_PATIENCE; }

TEST(Simulate, CountsDoNotDependOnThreadsOrCompany) {
  const Code code = small_code();
  const Decoders both = make(code, {"mackay", "normalised-min-sum:schedule=layered,llr=marginal"});
  SimulationOptions options{.seed = 3, .max_frames = some(5000), .threads = 1};
  const auto one = run(code, kBurst, both, options);
  options.threads = 3;
  const auto three = run(code, kBurst, both, options);
  const auto alone = run(code, kBurst, make(code, {"mackay"}), options);
  for (std::size_t d = 0; d < 2; ++d) expect_equal(one[d], three[d]);
  expect_equal(one[0], alone[0]);
  EXPECT_GT(one[0].frame_errors, one[1].frame_errors) << "knowing of bursts should help";
  options.seed = 4;
  EXPECT_NE(run(code, kBurst, both, options)[0].bit_errors, one[0].bit_errors);
}

TEST(Simulate, StoppedRunsEndWhereOneLongRunEnds) {
  const Code code = small_code();
  const Decoders both = make(code, {"sum-product:llr=marginal", "bitwise"});
  const SimulationOptions whole{.seed = 5, .max_frames = 20000, .target_errors = 1500};
  SimulationOptions part = whole;
  part.max_frames = 3001;  // in the middle of a round
  const auto expected = run(code, kBurst, both, whole);
  const auto got = run(code, kBurst, both, whole, run(code, kBurst, both, part));
  for (std::size_t d = 0; d < 2; ++d) {
    expect_equal(expected[d], got[d]);
    EXPECT_GE(expected[d].frame_errors, 1500u);
    EXPECT_LT(expected[d].frames, 20000u);
  }
  EXPECT_NE(expected[0].frames, expected[1].frames);
}

TEST(Simulate, ARunOfOneDecoderJoinsAnotherThatIsAhead) {
  const Code code = small_code();
  const Decoders both = make(code, {"mackay", "bitwise"});
  const SimulationOptions options{.seed = 5, .max_frames = some(6000)};
  SimulationOptions part = options;
  part.max_frames = some(2500);
  auto counts = run(code, kBurst, make(code, {"mackay"}), part);
  counts.resize(2);
  const auto expected = run(code, kBurst, both, options);
  const auto got = run(code, kBurst, both, options, counts);
  for (std::size_t d = 0; d < 2; ++d) expect_equal(expected[d], got[d]);
}

TEST(Simulate, UncodedBitsHaveTheErrorRateOfTheNormalTail) {
  const Code code = small_code();
  const double sigma = 0.7;
  const auto counts = run(code, {.sigma = sigma}, make(code, {"bitwise"}), {.max_frames = 20000});
  const double expected = 0.5 * std::erfc(1 / (sigma * std::sqrt(2.0)));
  EXPECT_NEAR(counts[0].ber(48), expected, 5 * std::sqrt(expected / (48 * 20000.0)));
}

TEST(Simulate, TheHammingCodeCorrectsOneError) {
  const Code code("hamming", testing::hamming());
  const double p = 0.05;
  const auto counts = run(code, {.kind = ChannelKind::bsc, .flip = p}, make(code, {"osd:order=4"}),
                          {.max_frames = 40000});
  // A perfect code: right exactly when at most one bit was turned round. Wrong words may still have
  // the right message only if they differ in parity bits alone, which no two words do.
  const double right = std::pow(1 - p, 7) + 7 * p * std::pow(1 - p, 6);
  EXPECT_NEAR(counts[0].fer(), 1 - right, 5 * std::sqrt(right * (1 - right) / 40000));
}

TEST(Simulate, WordsOfZerosHaveTheSameErrorRate) {
  const Code code = small_code();
  const Decoders decoders = make(code, {"mackay"});
  SimulationOptions options{.seed = 3, .max_frames = some(8000)};
  const auto random = run(code, {.sigma = 0.8}, decoders, options);
  options.zero_words = true;
  const auto zero = run(code, {.sigma = 0.8}, decoders, options);
  const double sd = std::sqrt(2 * random[0].fer() * (1 - random[0].fer()) / some(8000));
  EXPECT_NEAR(zero[0].fer(), random[0].fer(), 4 * sd);
}

TEST(ErrorRates, WilsonIntervals) {
  const Interval none = wilson(0, 1000), half = wilson(500, 1000), all = wilson(1000, 1000);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.003827, 1e-5);
  EXPECT_NEAR(half.low, 0.4691, 1e-3);
  EXPECT_NEAR(half.high, 0.5309, 1e-3);
  EXPECT_EQ(all.high, 1);
}

TEST(ErrorRates, BitErrorsOfAFrameComeTogether) {
  // A tenth of the frames has ten errors each: the interval is that of a mean of ten times a coin.
  ErrorCounts counts{.frames = 1000, .frame_errors = 100, .bit_errors = 1000};
  counts.squared_bit_errors = 100 * 100;
  const Interval interval = counts.ber_interval(50);
  EXPECT_NEAR(interval.high - interval.low, 2 * 1.96 * 10 * std::sqrt(0.09 / 1000) / 50, 1e-5);
  EXPECT_NEAR(counts.ber(50), 0.02, 1e-12);
}

// Bit error rates of the paper's setting as measured elsewhere, by more than one program.
TEST(SimulateData, ThePapersCodeHasItsKnownErrorRates) {
  FGNN_SKIP_WITHOUT_DATA("ldpc");
  const auto file = testing::data_folder() / "ldpc" / "96.3.963.A2.alist";
  std::ifstream in(file);
  const Code code("A2", read_alist(in, file.string()));
  const Decoders decoders = make(code, {"mackay", "sum-product:llr=marginal"});
  struct Known {
    double snr, burst, mackay, marginal;
  };
  for (const Known& known : {Known{0, 0, .127, .128}, Known{2, 0, .0239, .0251},
                             Known{2, 3, .0804, .0581}, Known{4, 5, .0722, .00543}}) {
    const Channel channel{.kind = ChannelKind::burst,
                          .sigma = sigma_of(known.snr, SnrScale::snr, 0.5),
                          .burst_sigma = known.burst};
    const auto counts = run(code, channel, decoders, {.seed = 1, .max_frames = 10000});
    for (std::size_t d = 0; d < 2; ++d) {
      const double expected = d == 0 ? known.mackay : known.marginal;
      const Interval interval = counts[d].ber_interval(48);
      // Both are measured with about the same number of words: sqrt(2) of one's deviation.
      const double deviation = (interval.high - interval.low) / 3.92 * std::sqrt(2.0);
      EXPECT_NEAR(counts[d].ber(48), expected, 3.5 * deviation + 0.005 * expected);
    }
  }
}

TEST(Simulate, PuncturedPositionsAreNotSent) {
  const Code whole = small_code();
  const Code code("punctured", whole.checks, {0, 17, 40, 95});
  EXPECT_EQ(code.sent(), 92u);
  EXPECT_DOUBLE_EQ(code.rate(), 48.0 / 92);
  EXPECT_DOUBLE_EQ(whole.rate(), 0.5);
  EXPECT_NE(fingerprint(code), fingerprint(whole));
  EXPECT_EQ(fingerprint(whole), fingerprint(whole.checks));
  const SimulationOptions options{.seed = 3, .max_frames = 2000};
  std::size_t of_message = 0;  // that are not sent
  for (const std::uint32_t i : code.encoder.information()) {
    of_message += std::ranges::count(code.punctured, i);
  }
  ASSERT_GT(of_message, 0u);
  for (const Channel& clean :
       {Channel{.sigma = 1e-3}, Channel{.kind = ChannelKind::bsc, .flip = 1e-9},
        Channel{.kind = ChannelKind::bec}, Channel{.kind = ChannelKind::rayleigh, .sigma = 1e-6},
        Channel{.kind = ChannelKind::burst, .sigma = 1e-2, .burst_sigma = 1e-3}}) {
    const Decoders decoders = make(code, {"bitwise", "sum-product", "osd:order=1"});
    const auto counts = run(code, clean, decoders, options);
    // The channel tells nothing of them: without the checks half of them are wrong.
    const auto guessed = static_cast<double>(2000 * of_message);
    EXPECT_NEAR(static_cast<double>(counts[0].bit_errors), guessed / 2, 5 * std::sqrt(guessed));
    EXPECT_EQ(counts[1].bit_errors, 0u) << name_of(clean.kind);
    EXPECT_EQ(counts[2].bit_errors, 0u) << name_of(clean.kind);
    EXPECT_EQ(run(whole, clean, make(whole, {"bitwise"}), options)[0].bit_errors, 0u);
  }
}

}  // namespace
}  // namespace fgnn::codes
