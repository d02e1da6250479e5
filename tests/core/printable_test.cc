#include "fgnn/core/printable.h"

#include <gtest/gtest.h>

#include "fgnn/core/error.h"

namespace fgnn {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "plain", "σ² … ─ ä", "日本", "\xf0\x9f\x98\x80", "back\\slash"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ShowsControlsAndForeignBytes) {
  EXPECT_EQ(printable("a\nb\tc\r"), "a b c ");
  EXPECT_EQ(printable("\x1b[31m\x7f\x01"), "\\x1b[31m\\x7f\\x01");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // the same as one character
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "gpj"),
            "\\xe2\\x80\\xaegpj");  // writes backwards
  EXPECT_EQ(printable("\xff\xc3"
                      "a"),
            "\\xff\\xc3a");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("cut \xe2\x80"), "cut \\xe2\\x80");
}

TEST(Shortened, KeepsBothEnds) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("0123456789", 7), "0123…89");
  EXPECT_EQ(shortened("äöüäöüäöü", 7), "äöüä…öü");
}

TEST(Error, StaysAShortLineWhateverTheNamesHold) {
  const Error error(ErrorCode::format, "a\x1b[2J\xff.uai", std::string(900000, 'x'), "do this");
  const std::string line = error.what();
  EXPECT_TRUE(line.starts_with("a\\x1b[2J\\xff.uai: xxx")) << line;
  EXPECT_TRUE(line.ends_with("x; do this")) << line;
  EXPECT_LT(line.size(), 1100u);
}

}  // namespace
}  // namespace fgnn
