#include "fgnn/io/xz.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include "fgnn/core/error.h"
#include "fgnn/io/gzip.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

std::string packed(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t used = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<std::uint8_t*>(out.data()), &used, out.size()),
            LZMA_OK);
  out.resize(used);
  return out;
}

TEST(Xz, PackedBytesAreUnpacked) {
  const std::string text(100000, 'x');
  EXPECT_EQ(unpacked(packed(text), "f"), text);
  EXPECT_EQ(unpacked(packed("one, ") + packed("two"), "f"), "one, two");
  EXPECT_EQ(unpacked(packed(""), "f"), "");
}

TEST(Xz, DamagedAndHugeFilesAreRefused) {
  std::string bytes = packed(std::string(1000, 'x') + "y");
  expect_error(ErrorCode::too_large, "f: is too large unpacked",
               [&] { unpacked(packed(std::string(100000, 'x')), "f", 1000); });
  for (std::size_t cut = kXzMagic.size(); cut < bytes.size(); ++cut) {
    expect_error(ErrorCode::format, "f: is damaged or cut off",
                 [&] { unpacked(bytes.substr(0, cut), "f"); });
  }
  bytes[bytes.size() / 2] ^= 1;
  expect_error(ErrorCode::format, "f: is damaged or cut off", [&] { unpacked(bytes, "f"); });
}

}  // namespace
}  // namespace fgnn
