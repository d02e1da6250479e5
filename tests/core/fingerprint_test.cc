#include "fgnn/core/fingerprint.h"

#include <gtest/gtest.h>

namespace fgnn {
namespace {

std::uint64_t of(std::string_view text) {
  Fingerprint f;
  f.add(text);
  return f.value();
}

// Splits of data depend on these numbers: they stay as they are.
TEST(Fingerprint, OfTextIsThePublishedFnv1a) {
  EXPECT_EQ(of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(of("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(of("\xff"), 0xaf64724c8602eb6eu);
}

TEST(Fingerprint, OfNumbersIsThatOfTheirBytes) {
  Fingerprint f;
  f.add(std::uint64_t{0x3736353433323130});
  EXPECT_EQ(f.value(), of("01234567"));
}

}  // namespace
}  // namespace fgnn
