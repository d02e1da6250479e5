#include "fgnn/core/token_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "fgnn/core/types.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

TEST(TokenReader, KnowsLineAndColumnOfEveryToken) {
  std::istringstream in("ab  c\r\n\t d\n\n  efg");
  TokenReader tokens(in, "f", Comments::none);
  EXPECT_EQ(tokens.word("a word"), "ab");
  EXPECT_EQ(tokens.word("a word"), "c");
  EXPECT_EQ(tokens.place().column, 5u);
  EXPECT_EQ(tokens.word("a word"), "d");
  EXPECT_EQ(tokens.place().line, 2u);
  EXPECT_EQ(tokens.place().column, 3u);
  EXPECT_EQ(tokens.next_place().line, 4u);
  EXPECT_EQ(tokens.word("a word"), "efg");
  EXPECT_TRUE(tokens.at_end());
  expect_error(ErrorCode::format, "f:4:6: expected a word, found the end of the file",
               [&] { tokens.word("a word"); });
}

TEST(TokenReader, CommentsEndWithTheLineAndEndTokens) {
  std::istringstream in("#first\n1#second\n2 # third 3");
  TokenReader tokens(in, "f", Comments::hash);
  EXPECT_EQ(tokens.integer("a number", 0, 9), 1u);
  EXPECT_EQ(tokens.integer("a number", 0, 9), 2u);
  EXPECT_TRUE(tokens.at_end());
  std::istringstream plain("1#x");
  EXPECT_EQ(TokenReader(plain, "f", Comments::none).word("a word"), "1#x");
}

TEST(TokenReader, TokensMayLieAcrossThePiecesThatAreRead) {
  std::string text;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; text.size() < 300'000; ++i) {
    numbers.push_back(i * i * i);
    text +=
        std::to_string(numbers.back()) + (i % 7 ? " " : "\n#" + std::string(i % 100, 'c') + "\n");
  }
  std::istringstream in(text);
  TokenReader tokens(in, "f", Comments::hash);
  for (std::uint64_t number : numbers) ASSERT_EQ(tokens.integer("a number", 0, UINT64_MAX), number);
  EXPECT_TRUE(tokens.at_end());
  EXPECT_EQ(tokens.bytes_read(), text.size());
}

TEST(TokenReader, PlacesAreRightBeyondTheFirstPiece) {
  for (const std::size_t before : {65534u, 65535u, 65536u, 65537u, 131072u}) {
    std::istringstream in(std::string(before, '\n') + "  word");
    TokenReader tokens(in, "f", Comments::none);
    tokens.word("a word");
    EXPECT_EQ(tokens.place().line, before + 1);
    EXPECT_EQ(tokens.place().column, 3u);
    std::istringstream wide(std::string(before, ' ') + "word");
    TokenReader one_line(wide, "f", Comments::none);
    EXPECT_EQ(one_line.next_place().column, before + 1);
  }
}

TEST(TokenReader, ReadsNumbersOfEveryForm) {
  std::istringstream in("1 -2.5 +3 1e3 .5 -0 4.9e-324 1.7976931348623157e308 -inf");
  TokenReader tokens(in, "f", Comments::none);
  for (const double value : {1.0, -2.5, 3.0, 1000.0, 0.5, 0.0, 4.9e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(tokens.number("a number"), value);
  }
  EXPECT_EQ(tokens.number("a number", Infinity::minus), kForbidden);
}

TEST(TokenReader, RefusesWhatIsNoNumber) {
  for (const char* text : {"x", "1x", "0x1", "--1", "+-1", "+", "-", "1,5", "nan", "-nan", "inf",
                           "-inf", "1e400", "-1e400", "1e-400", "1.5.2"}) {
    std::istringstream in(text);
    TokenReader tokens(in, "f", Comments::none);
    expect_error(ErrorCode::format, "f:1:1: ", [&] { tokens.number("a number"); });
  }
  for (const char* text : {"inf", "nan"}) {
    std::istringstream in(text);
    TokenReader tokens(in, "f", Comments::none);
    expect_error(ErrorCode::format, "expected a number, found",
                 [&] { tokens.number("a number", Infinity::minus); });
  }
}

TEST(TokenReader, RefusesWhatIsNoIntegerInRange) {
  const auto read = [](const std::string& text) {
    std::istringstream in(text);
    TokenReader(in, "f", Comments::none).integer("a size", 1, 10);
  };
  expect_error(ErrorCode::format, "f:1:1: expected a size, found '-1'", [&] { read("-1"); });
  expect_error(ErrorCode::format, "f:1:1: expected a size, found '1.0'", [&] { read("1.0"); });
  expect_error(ErrorCode::format, "expected a size from 1 to 10, found '11'", [&] { read("11"); });
  expect_error(ErrorCode::format, "expected a size from 1 to 10, found '0'", [&] { read("0"); });
  expect_error(ErrorCode::format, "found '99999999999999999999999'",
               [&] { read("99999999999999999999999"); });
}

TEST(TokenReader, ShowsStrangeTokensOnOneShortLine) {
  EXPECT_EQ(in_quotes(std::string_view("a\0\xff\n", 4)), "'a\\x00\\xff\\x0a'");
  EXPECT_EQ(in_quotes(std::string(100, 'z')), "'" + std::string(40, 'z') + "…'");
}

TEST(TokenReader, RefusesTokensWithoutEnd) {
  for (const std::size_t length :
       {std::size_t{1025}, std::size_t{70'000}, std::size_t{1'000'000}}) {
    std::istringstream in("\n " + std::string(length, 'z'));
    TokenReader tokens(in, "f", Comments::none);
    expect_error(ErrorCode::format, "f:2:2: a word of more than 1024 characters",
                 [&] { tokens.word("a word"); });
  }
  std::istringstream in(std::string(1024, 'z'));
  EXPECT_EQ(TokenReader(in, "f", Comments::none).word("a word").size(), 1024u);
}

TEST(TokenReader, PeekingTakesNothing) {
  std::istringstream in("a b");
  TokenReader tokens(in, "f", Comments::none);
  EXPECT_EQ(tokens.peek(), "a");
  EXPECT_FALSE(tokens.take_if("b"));
  EXPECT_TRUE(tokens.take_if("a"));
  expect_error(ErrorCode::format, "f:1:3: 'b' after the end",
               [&] { tokens.expect_end("the end"); });
  expect_error(ErrorCode::format, "f:1:3: expected 'c', found 'b'", [&] { tokens.expect("c"); });
}

}  // namespace
}  // namespace fgnn
