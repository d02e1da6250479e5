#include "fgnn/codes/encoder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "fgnn/codes/construct.h"
#include "tests/reference/data_folder.h"
#include "tests/reference/random_code.h"

namespace fgnn::codes {
namespace {

using Bits = std::vector<std::uint8_t>;

Bits random_message(Rng& rng, std::size_t size) {
  Bits bits(size);
  for (auto& bit : bits) bit = static_cast<std::uint8_t>(rng.below(2));
  return bits;
}

std::size_t count_words(const SparseParityMatrix& checks) {
  std::size_t count = 0;
  Bits word(checks.num_columns());
  for (std::uint32_t x = 0; x < 1u << checks.num_columns(); ++x) {
    for (std::uint32_t c = 0; c < checks.num_columns(); ++c) word[c] = x >> c & 1;
    count += satisfies(checks, word);
  }
  return count;
}

void expect_encodes(const SparseParityMatrix& checks, const Encoder& encoder, Rng& rng) {
  Bits word(encoder.length());
  for (int trial = 0; trial < 5; ++trial) {
    const Bits message = random_message(rng, encoder.dimension());
    encoder.encode(message, word);
    EXPECT_TRUE(satisfies(checks, word));
    for (std::size_t i = 0; i < message.size(); ++i) {
      EXPECT_EQ(word[encoder.information()[i]], message[i]);
    }
  }
}

TEST(Encoder, GivesEveryWordOfRandomMatricesOfAnyRank) {
  Rng rng(1);
  for (int trial = 0; trial < 100; ++trial) {
    const auto columns = static_cast<std::uint32_t>(1 + rng.below(10));
    const auto rows = static_cast<std::uint32_t>(rng.below(9));
    const SparseParityMatrix checks = testing::random_matrix(rng, rows, columns);
    for (std::uint32_t dense_length : {Encoder::kDenseLength, 0u}) {  // 0: peeled
      const Encoder encoder(checks, dense_length);
      EXPECT_EQ(std::size_t{1} << encoder.dimension(), count_words(checks));
      expect_encodes(checks, encoder, rng);
    }
  }
}

TEST(Encoder, TakesTheFirstPositionsForTheMessageWherePossible) {
  const Encoder encoder(testing::hamming());
  EXPECT_EQ(encoder.dimension(), 4u);
  EXPECT_TRUE(encoder.systematic_prefix());
  // Columns 2 and 3 are equal: both cannot be parity bits, so position 3 or 2 carries information.
  const std::vector<std::vector<std::uint32_t>> rows{{0, 2, 3}, {1, 2, 3}};
  const Encoder other(SparseParityMatrix(4, rows));
  EXPECT_FALSE(other.systematic_prefix());
  EXPECT_EQ((std::vector<std::uint32_t>(other.information().begin(), other.information().end())),
            (std::vector<std::uint32_t>{0, 2}));
}

TEST(Encoder, PeelingLeavesFewDenseRowsOfALongCode) {
  const SparseParityMatrix checks = random_regular({.length = 20000, .seed = 3});
  const Encoder encoder(checks);
  EXPECT_LT(encoder.dense_rows(), 1000u);
  EXPECT_GE(encoder.dimension(), 10000u);
  Rng rng(2);
  expect_encodes(checks, encoder, rng);
}

SparseParityMatrix read_code(const std::string& name) {
  const auto file = testing::data_folder() / "ldpc" / name;
  std::ifstream in(file);
  return read_alist(in, file.string());
}

TEST(EncoderData, ThePapersMatrixIsMadeFrom963AndHasItsEncoder) {
  FGNN_SKIP_WITHOUT_DATA("ldpc");
  const SparseParityMatrix original = read_code("96.3.963.alist");
  const SparseParityMatrix paper = with_ones(original, kPaperOnes);
  EXPECT_EQ(paper, read_code("96.3.963.A2.alist"));
  EXPECT_EQ(Encoder(original).rank(), 46u);
  const Encoder encoder(paper);
  EXPECT_EQ(encoder.rank(), 48u);
  ASSERT_TRUE(encoder.systematic_prefix());
  std::ifstream in(testing::data_folder() / "ldpc" / "96.3.963.P_48x48.txt");
  Bits word(96);
  std::vector<Bits> words(48, word);
  for (std::size_t i = 0; i < 48; ++i) {
    Bits message(48, 0);
    message[i] = 1;
    encoder.encode(message, words[i]);
  }
  for (std::size_t j = 0; j < 48; ++j) {
    for (std::size_t i = 0; i < 48; ++i) {
      int expected = -1;
      in >> expected;
      ASSERT_EQ(words[i][48 + j], expected) << "parity bit " << j << ", message bit " << i;
    }
  }
}

TEST(EncoderData, EncodesEveryCodeOfTheFolder) {
  FGNN_SKIP_WITHOUT_DATA("ldpc");
  Rng rng(4);
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "ldpc")) {
    if (entry.path().extension() != ".alist") continue;
    SCOPED_TRACE(entry.path().filename());
    const SparseParityMatrix checks = read_code(entry.path().filename().string());
    const Encoder encoder(checks), peeled(checks, 0);
    EXPECT_EQ(encoder.rank(), peeled.rank());
    expect_encodes(checks, encoder, rng);
    expect_encodes(checks, peeled, rng);
  }
}

}  // namespace
}  // namespace fgnn::codes
