// Decoders of a (96,48) code at 2 dB, words per second on one thread.
#include "bench/suite_codes.h"

#include "bench/plain_decoder.h"
#include "fgnn/codes/code.h"
#include "fgnn/codes/construct.h"
#include "fgnn/codes/decoders.h"

namespace fgnn::bench {
namespace {

constexpr const char* kPlain = "sum-product with tanh in double, one word at a time";
constexpr std::uint32_t kIterations = 50;

std::vector<float> received(const codes::Code& code, std::size_t count, std::uint64_t seed) {
  const codes::Channel channel{.sigma = codes::sigma_of(2, codes::SnrScale::snr, 0.5)};
  const std::size_t n = code.encoder.length();
  std::vector<std::uint8_t> message(code.encoder.dimension()), word(n);
  std::vector<float> y(n), llr(count * n);
  for (std::uint64_t f = 0; f < count; ++f) {
    codes::random_bits({seed, 0, f}, message);
    code.encoder.encode(message, word);
    codes::transmit(channel, {seed, 0, f}, word, y);
    codes::log_ratios(channel, codes::LlrModel::sigma, y, std::span(llr).subspan(f * n, n));
  }
  return llr;
}

}  // namespace

std::vector<Row> run_codes(const SuiteOptions& options) {
  const codes::Code code(
      "peg", codes::progressive_edge_growth({.length = 96, .checks = 48, .seed = options.seed}));
  const std::size_t n = 96, count = options.quick ? 200 : 10000;
  const std::vector<float> llr = received(code, count, options.seed);
  PlainDecoder plain(code.checks);
  // Hundreds of times slower: a tenth of the words is enough.
  const std::size_t few = count / 10;
  const auto baseline = [&] {
    double iterations = 0;
    for (std::size_t f = 0; f < few; ++f) {
      iterations += plain.decode(std::span(llr).subspan(f * n, n), kIterations);
    }
    keep(iterations);
  };
  std::vector<Row> rows;
  for (const char* name :
       {"sum-product", "sum-product:schedule=layered", "min-sum", "normalised-min-sum",
        "normalised-min-sum:schedule=layered", "normalised-min-sum:precision=int8",
        "normalised-min-sum:schedule=layered,precision=int8",
        "offset-min-sum:schedule=layered,precision=int8"}) {
    const auto decoder = codes::make_decoder(code.checks, name);
    codes::Decoded out;
    const Seconds seconds = best_seconds(
        options.quick ? 1 : 8,
        [&] {
          decoder->decode({count, llr, {}, {}}, out);
          keep(out.bits[0]);
        },
        baseline);
    rows.push_back({.name = name,
                    .value = static_cast<double>(count) / seconds.library,
                    .unit = "words/s",
                    .baseline = static_cast<double>(few) / seconds.baseline,
                    .baseline_name = kPlain,
                    .more_is_better = true});
  }
  return rows;
}

}  // namespace fgnn::bench
