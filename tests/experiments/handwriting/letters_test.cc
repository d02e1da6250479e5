#include "fgnn/experiments/handwriting/letters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <map>
#include <set>

#include "fgnn/io/gzip.h"
#include "tests/reference/data_folder.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::testing {
namespace {

const std::string kHex = "000000707c46c3818181838ef8000001";

std::string line(int word, int fold, int position, char letter, const std::string& hex = kHex) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\n", word, fold, position, letter, hex);
}

// The same letter as a line of UCI's.
std::string uci_line(int id, char letter, int next, int word, int position, int fold,
                     const handwriting::LetterImage& image) {
  std::string text =
      fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t", id, letter, next, word, position, fold);
  for (std::size_t y = 0; y < handwriting::kLetterHeight; ++y) {
    for (std::size_t x = 0; x < handwriting::kLetterWidth; ++x)
      text += image.pixel(y, x) ? "1\t" : "0\t";
  }
  return text + "\n";
}

std::string packed(const std::string& text) {
  std::string out(compressBound(static_cast<uLong>(text.size())) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Letters, LinesBecomeWords) {
  const auto words = handwriting::parse_letters(
      "# word\tfold\n" + line(7, 2, 0, 'o') + line(7, 2, 1, 'k') + "\n" + line(3, 0, 0, 'a'), "f");
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].id, 7u);
  EXPECT_EQ(words[0].fold, 2u);
  EXPECT_EQ(words[0].text, "ok");
  ASSERT_EQ(words[0].images.size(), 2u);
  EXPECT_EQ(words[1].text, "a");
  const handwriting::LetterImage& image = words[0].images[0];
  EXPECT_EQ(image.rows[3], 0x70);
  EXPECT_FALSE(image.pixel(3, 0));  // 0111 0000
  EXPECT_TRUE(image.pixel(3, 1));
  EXPECT_TRUE(image.pixel(15, 7));
  EXPECT_TRUE(handwriting::parse_letters("", "f").empty());
}

TEST(Letters, BothLayoutsSayTheSame) {
  const auto ours = handwriting::parse_letters(line(1, 4, 0, 'x') + line(1, 4, 1, 'y'), "f");
  const auto& images = ours[0].images;
  const auto uci = handwriting::parse_letters(
      uci_line(1, 'x', 2, 1, 1, 4, images[0]) + uci_line(2, 'y', -1, 1, 2, 4, images[1]), "f");
  EXPECT_EQ(ours, uci);
  EXPECT_EQ(handwriting::parse_letters(handwriting::letters_text(ours), "f"), ours);
}

TEST(Letters, PackedFilesAreUnpacked) {
  const std::string text = line(1, 0, 0, 'x') + line(1, 0, 1, 'y');
  const Scratch folder;
  const auto file = folder.path() / "letters.gz";
  std::ofstream(file, std::ios::binary) << packed(text);
  EXPECT_EQ(handwriting::read_letters(file), handwriting::parse_letters(text, "f"));
  EXPECT_EQ(unpacked(packed("one, ") + packed("two"), "f"), "one, two");
  EXPECT_EQ(unpacked("plain", "f"), "plain");
  std::string broken = packed(text);
  broken.resize(broken.size() - 9);
  expect_error(ErrorCode::format, "f: is damaged or cut off", [&] { unpacked(broken, "f"); });
  expect_error(ErrorCode::too_large, "f: is too large unpacked",
               [&] { unpacked(packed(std::string(100000, 'x')), "f", 1000); });
  expect_error(ErrorCode::io, "none.gz: cannot be read",
               [&] { handwriting::read_letters("none.gz"); });
}

TEST(Letters, MalformedFilesAreRefusedAtTheirPlace) {
  const auto refused = [](const std::string& text, const std::string& what) {
    expect_error(ErrorCode::format, what, [&] { handwriting::parse_letters(text, "f"); });
  };
  const std::string good = line(1, 0, 0, 'x');
  refused("hello\n", "f:1:1: has 1 fields");
  refused(good + "1\t0\t1\tx\n", "f:2:1: has 4 fields");
  refused(line(1, 0, 0, 'X'), "f:1:7: expected a letter a to z, found 'X'");
  refused(line(1, 0, 0, 'x', "12"), "f:1:9: expected 32 hexadecimal digits");
  refused(line(1, 0, 0, 'x', std::string(31, '0') + "g"), "f:1:9: expected 32 hexadecimal digits");
  refused(line(1, 0, 1, 'x'), "f:1:5: expected position 0 of word 1, found 1");
  refused(good + line(1, 0, 2, 'x'), "f:2:5: expected position 1 of word 1, found 2");
  refused(good + line(1, 1, 1, 'x'), "f:2:3: word 1 has begun in fold 0");
  refused(good + line(2, 0, 0, 'x') + line(1, 0, 0, 'x'), "f:3:1: word 1 began in an earlier line");
  refused("-1\t0\t0\tx\t" + kHex, "f:1:1: expected the number of a word");
  refused("1\t0\t0.5\tx\t" + kHex, "f:1:5: expected a position");
  std::string uci = uci_line(1, 'x', -1, 1, 1, 0, {});
  uci.replace(uci.size() - 3, 1, "2");
  refused(uci, "expected a pixel, 0 to 1, found '2'");
  refused(uci_line(1, 'x', -1, 1, 0, 0, {}), "expected position 1 of word 1, found 0");
}

TEST(Letters, TheWholeSetHasItsWordsLettersAndFolds) {
  FGNN_SKIP_WITHOUT_DATA("letters");
  const auto words = handwriting::read_letters(data_folder() / "letters" / "letters.tsv.gz");
  EXPECT_EQ(words.size(), 6877u);
  std::size_t letters = 0;
  std::map<std::uint32_t, std::size_t> folds;
  std::map<std::uint32_t, std::set<std::string>> distinct;
  for (const auto& word : words) {
    letters += word.text.size();
    ++folds[word.fold];
    distinct[word.fold].insert(word.text);
  }
  EXPECT_EQ(letters, 52152u);
  const std::vector<std::size_t> sizes{626, 704, 684, 698, 693, 651, 739, 717, 690, 675};
  for (std::uint32_t f = 0; f < 10; ++f) {
    EXPECT_EQ(folds[f], sizes[f]);
    EXPECT_EQ(distinct[f].size(), 55u);
  }
}

}  // namespace
}  // namespace fgnn::testing
