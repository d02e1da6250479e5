#include "fgnn/learned/decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "fgnn/codes/decoders.h"
#include "fgnn/codes/encoder.h"
#include "fgnn/experiments/ldpc/task.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/network/model.h"
#include "fgnn/neuralize/family.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_code.h"
#include "tests/reference/scratch.h"

namespace fgnn::learned {
namespace {

using testing::expect_error;

const codes::Code& code() {
  static const ldpc::LdpcTask task{ldpc::LdpcOptions()};
  return task.code();
}

// Words of the code through Gaussian noise, with the ratios that know sigma.
struct Words {
  std::size_t count;
  codes::Channel channel;
  std::vector<float> observed, llr;

  Words(std::size_t n, double sigma, std::uint64_t seed) : count(n) {
    channel.sigma = sigma;
    const std::size_t length = code().encoder.length();
    std::vector<std::uint8_t> message(code().encoder.dimension()), word(length);
    std::vector<float> y(length), l(length);
    for (std::uint64_t f = 0; f < n; ++f) {
      codes::random_bits({seed, 0, f}, message);
      code().encoder.encode(message, word);
      codes::transmit(channel, {seed, 0, f}, word, y);
      codes::log_ratios(channel, codes::LlrModel::sigma, y, l);
      observed.insert(observed.end(), y.begin(), y.end());
      llr.insert(llr.end(), l.begin(), l.end());
    }
  }
  codes::Frames frames() const { return {count, llr, observed, channel}; }
  codes::Frames frames(std::size_t first, std::size_t n) const {
    const std::size_t length = code().encoder.length();
    return {n, std::span(llr).subspan(first * length, n * length),
            std::span(observed).subspan(first * length, n * length), channel};
  }
};

codes::Decoded decode(const codes::Decoder& decoder, const codes::Frames& frames) {
  codes::Decoded out;
  out.wants_soft = true;
  decoder.decode(frames, out);
  return out;
}

class LearnedDecoder : public ::testing::Test {
 protected:
  std::string compiled(std::size_t iterations, const std::string& llr = "sigma") {
    neuralize::FamilyOptions o;
    o.compile.iterations = iterations;
    o.floor = 1e-7;
    network::Model model =
        neuralize::compile_family(ldpc::LdpcTask(ldpc::LdpcOptions()).schema(), o);
    model.metadata["llr"] = llr;
    const auto file = scratch_.path() / (std::to_string(iterations) + llr + ".safetensors");
    network::save_model(file, model);
    return file.string();
  }
  std::unique_ptr<codes::Decoder> decoder(const std::string& file) const {
    return codes::make_decoder(code().checks, "fgnn:" + file);
  }

  testing::Scratch scratch_;
};

TEST_F(LearnedDecoder, CompiledDecidesAsSumProductWithAsManyIterations) {
  for (const std::size_t k : {1, 3, 8}) {
    const Words words(100, 0.75, k);
    const auto mine = decode(*decoder(compiled(k)), words.frames());
    const auto plain = codes::make_decoder(
        code().checks, "sum-product:stop=never,iterations=" + std::to_string(k));
    const auto want = decode(*plain, words.frames());
    std::size_t errors = 0;
    for (std::size_t i = 0; i < want.bits.size(); ++i) {
      if (std::abs(want.soft[i]) < 10) {
        EXPECT_NEAR(mine.soft[i], want.soft[i], 0.02 * (1 + std::abs(want.soft[i])));
      }
      EXPECT_TRUE(mine.bits[i] == want.bits[i] || std::abs(want.soft[i]) < 0.01) << want.soft[i];
      errors += want.bits[i] != (words.observed[i] > 0);
    }
    EXPECT_GT(errors, 100u) << "nothing to correct: the test says little";
    std::size_t valid = 0;
    for (std::size_t f = 0; f < words.count; ++f) {
      EXPECT_EQ(mine.iterations[f], k);
      const auto bits = std::span(mine.bits).subspan(f * 96, 96);
      EXPECT_EQ(mine.valid[f] != 0, codes::satisfies(code().checks, bits));
      valid += mine.valid[f];
    }
    EXPECT_GT(valid, k == 8 ? 50u : 0u);
  }
}

// As many words as are run at once, fewer, and more.
TEST_F(LearnedDecoder, AWordsAnswerDoesNotDependOnTheOthers) {
  const auto learned = decoder(compiled(4, "word"));
  const Words words(70, 0.8, 1);
  const auto all = decode(*learned, words.frames());
  for (const auto& [first, count] : {std::pair(0, 1), std::pair(31, 2), std::pair(38, 32)}) {
    const auto some = decode(
        *learned, words.frames(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
    for (std::size_t i = 0; i < some.bits.size(); ++i) {
      EXPECT_EQ(some.bits[i], all.bits[static_cast<std::size_t>(first) * 96 + i]);
      EXPECT_EQ(some.soft[i], all.soft[static_cast<std::size_t>(first) * 96 + i]);
    }
  }
}

TEST_F(LearnedDecoder, SeveralThreadsMayDecodeAtOnce) {
  const auto learned = decoder(compiled(4));
  const Words words(40, 0.8, 2);
  const auto want = decode(*learned, words.frames());
  std::vector<codes::Decoded> got(4);
  std::vector<std::thread> threads;
  for (auto& g : got) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) g = decode(*learned, words.frames());
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& g : got) EXPECT_EQ(g.soft, want.soft);
}

TEST_F(LearnedDecoder, RatiosAreThoseTheModelWasMadeFor) {
  const Words words(5, 0.8, 3);
  const auto sigma = decode(*decoder(compiled(1, "sigma")), words.frames());
  const auto word = decode(*decoder(compiled(1, "word")), words.frames());
  EXPECT_NE(sigma.soft, word.soft);
}

TEST_F(LearnedDecoder, TakesAnyCode) {
  const auto other = codes::make_decoder(testing::hamming(), "fgnn:" + compiled(3));
  EXPECT_EQ(other->length(), 7u);
  const std::vector<float> y{1, 1, 1, 1, 1, -0.2f, 1}, llr(7);  // all ones, with an error
  codes::Frames frames{1, llr, y, {}};
  frames.channel.sigma = 0.7;
  const auto out = decode(*other, frames);
  EXPECT_EQ(out.bits, std::vector<std::uint8_t>(7, 1));
  EXPECT_TRUE(out.valid[0]);
}

TEST_F(LearnedDecoder, OddMetadataDoesNotStopIt) {
  const auto file = compiled(2);
  auto model = network::load_model(file);
  for (const char* text : {"many", "", "99999999999999999999"}) {
    model.metadata["iterations"] = text;
    network::save_model(file, model);
    EXPECT_NO_THROW(decoder(file)) << text;
  }
}

TEST_F(LearnedDecoder, NeedsWhatTheChannelGave) {
  const auto learned = decoder(compiled(1));
  const Words words(1, 0.8, 4);
  auto frames = words.frames();
  frames.observed = {};
  codes::Decoded out;
  expect_error(ErrorCode::usage, "learned decoder: needs the channel's output",
               [&] { learned->decode(frames, out); });
}

TEST_F(LearnedDecoder, OtherModelsAreRefused) {
  const synthetic::SyntheticTask chains{synthetic::SyntheticOptions{}};
  const auto save = [&](network::Schema schema, const char* text) {
    network::Description d;
    d.network = text;
    d.schema = std::move(schema);
    const auto file = (scratch_.path() / "other.safetensors").string();
    network::save_model(file, network::Model(d, 0));
    return file;
  };
  const auto refused = [&](network::Schema schema, const char* text) {
    const auto file = save(std::move(schema), text);
    expect_error(ErrorCode::unsupported,
                 file + ": is not a decoder; train one with fgnn train ldpc",
                 [&] { decoder(file); });
  };
  refused(chains.schema(), "FGNN(4) - Out(2)");
  refused(ldpc::LdpcTask(ldpc::LdpcOptions()).schema(), "FGNN(4) - Out(3)");
  refused(ldpc::LdpcTask(ldpc::LdpcOptions()).schema(), "FGNN(4) - Pool(sum) - Out(2)");
  refused({2, {{"check", 0, 1, 0}}}, "FGNN(4) - Out(2)");
  refused({4, {{"parity", 0, 1, 0}}}, "FGNN(4) - Out(2)");
  refused({4, {{"check", 3, 1, 0}}}, "FGNN(4) - Out(2)");
  refused({4, {{"check", 0, 1, 2}}}, "FGNN(4) - Out(2)");
  EXPECT_NO_THROW(decoder(save(ldpc::LdpcTask(ldpc::LdpcOptions()).schema(), "FGNN(4) - Out(2)")));
  expect_error(ErrorCode::io, "no-such-model", [&] { decoder("no-such-model"); });
}

TEST_F(LearnedDecoder, ChannelsThatItKnowsNothingOfAreRefused) {
  const std::string file = compiled(2);
  const auto learned = decoder(file);
  learned->check({.kind = codes::ChannelKind::awgn}, 0);
  learned->check({.kind = codes::ChannelKind::burst, .burst_sigma = 2}, 0);
  for (const auto kind :
       {codes::ChannelKind::bsc, codes::ChannelKind::bec, codes::ChannelKind::rayleigh}) {
    const std::string line = file + ": knows the channels awgn and burst, not " +
                             std::string(name_of(kind)) + "; take a decoder that reads ratios";
    expect_error(ErrorCode::unsupported, line, [&] { learned->check({.kind = kind}, 0); });
    Words words(3, 0.8, 1);
    words.channel.kind = kind;
    expect_error(ErrorCode::unsupported, line, [&] { decode(*learned, words.frames()); });
  }
  expect_error(ErrorCode::unsupported, "positions that are not sent",
               [&] { learned->check({.kind = codes::ChannelKind::awgn}, 4); });
}

TEST_F(LearnedDecoder, DamagedSettingsAreAFaultOfTheFile) {
  const std::string file = compiled(2);
  network::Model model = network::load_model(file);
  model.metadata["llr"] = "\x1b[31m";
  network::save_model(file, model);
  expect_error(ErrorCode::format, file + ": its metadata: llr: '\\x1b[31m' is not a kind of ratio",
               [&] { decoder(file); });
}

}  // namespace
}  // namespace fgnn::learned
