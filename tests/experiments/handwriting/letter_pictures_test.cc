#include "fgnn/experiments/handwriting/letter_pictures.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/reference/expect_error.h"

namespace fgnn::testing {
namespace {

// Two letters, 16 x 16 pixels: a diagonal, and a full first row.
bool ink(std::size_t y, std::size_t x) { return x < 8 ? x == y : y == 0; }

std::string picture(const std::string& head, const std::function<std::string(bool)>& pixel) {
  std::string text = head;
  for (std::size_t y = 0; y < 16; ++y) {
    for (std::size_t x = 0; x < 16; ++x) text += pixel(ink(y, x));
  }
  return text;
}

void expect_the_two_letters(const std::string& bytes) {
  ASSERT_TRUE(handwriting::is_picture(bytes));
  const handwriting::HandwrittenWord word = handwriting::parse_picture(bytes, "f");
  EXPECT_TRUE(word.text.empty());
  ASSERT_EQ(word.images.size(), 2u);
  for (std::size_t y = 0; y < 16; ++y) {
    for (std::size_t x = 0; x < 16; ++x) {
      EXPECT_EQ(word.images[x / 8].pixel(y, x % 8), ink(y, x)) << y << ", " << x;
    }
  }
}

TEST(LetterPictures, AllFourFormatsSayTheSame) {
  expect_the_two_letters(
      picture("P1\n# two letters\n16 16\n", [](bool on) { return on ? "1" : "0 "; }));
  expect_the_two_letters(picture("P2 16 16 9\n", [](bool on) { return on ? "4 " : "5\n"; }));
  expect_the_two_letters(picture(
      "P5 16 16 255\n", [](bool on) { return std::string(1, static_cast<char>(on ? 0 : 255)); }));
  std::string packed = "P4\n16 16\n";
  for (std::size_t y = 0; y < 16; ++y) {
    packed += static_cast<char>(y < 8 ? 128 >> y : 0);
    packed += static_cast<char>(y == 0 ? 255 : 0);
  }
  expect_the_two_letters(packed);
}

TEST(LetterPictures, RefusesOthers) {
  const auto refused = [](const std::string& bytes, const std::string& what) {
    expect_error(ErrorCode::format, what, [&] { handwriting::parse_picture(bytes, "f"); });
  };
  EXPECT_FALSE(handwriting::is_picture("P6 1 1"));
  EXPECT_FALSE(handwriting::is_picture("0\t0\t0"));
  refused("hello", "f: is not a PBM or PGM picture");
  refused("P1 8 15 ", "f: is 8 x 15 pixels");
  refused("P1 9 16 ", "f: is 9 x 16 pixels");
  refused("P1 0 16 ", "f: is 0 x 16 pixels");
  refused("P2 8 16 70000\n", "f: has greys up to 70000");
  refused("P1 8 16 0101", "f: ends before its last pixel");
  refused("P4 8 16\n123", "f: ends before its last pixel");
  refused("P5 8", "f: has no height where one must be");
  refused("P1 99999999999999999999 16 ", "f: has no width where one must be");
  refused(picture("P1 16 16 ", [](bool) { return "0"; }) + "1",
          "f: continues after its last pixel");
}

}  // namespace
}  // namespace fgnn::testing
