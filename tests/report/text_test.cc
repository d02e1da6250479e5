#include "fgnn/report/text.h"

#include <gtest/gtest.h>

#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

TEST(Text, BytesAreReadInPowersOf1024) {
  EXPECT_EQ(parse_bytes("1000"), 1000u);
  EXPECT_EQ(parse_bytes("4K"), 4096u);
  EXPECT_EQ(parse_bytes("0.5M"), 524288u);
  EXPECT_EQ(parse_bytes("8G"), std::uint64_t{8} << 30);
  EXPECT_EQ(parse_bytes("8GiB"), std::uint64_t{8} << 30);
  EXPECT_EQ(parse_bytes("2TB"), std::uint64_t{2} << 40);
}

TEST(Text, AmountsOfMemoryThatMakeNoSenseAreRefused) {
  for (const char* text : {"", "G", "-1G", "0", "8Q", "8G!", "1e40", "nan", "inf", "5iB"}) {
    testing::expect_error(ErrorCode::usage, "is not an amount of memory",
                          [&] { parse_bytes(text); });
  }
}

TEST(Text, NumbersReadAsPeopleWriteThem) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1234567), "1 234 567");
  EXPECT_EQ(count_text(2e15), "2.00e+15");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(seconds_text(0.0000123), "12.3 µs");
  EXPECT_EQ(seconds_text(0.25), "250.0 ms");
  EXPECT_EQ(seconds_text(3), "3.00 s");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace fgnn
