#include "fgnn/io/rgb_picture.h"

#include <gtest/gtest.h>

#include "tests/reference/data_folder.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

TEST(RgbPicture, PpmIsReadWithComments) {
  const auto p = parse_rgb_picture(std::string("P6\n# a remark\n2 1\n255\n") + "abcdef", "f");
  EXPECT_EQ(p.width, 2u);
  EXPECT_EQ(p.height, 1u);
  EXPECT_EQ(p.pixel(0, 1)[2], 'f');
}

TEST(RgbPicture, MalformedOnesAreRefused) {
  const auto refused = [](const std::string& bytes, const std::string& what,
                          ErrorCode code = ErrorCode::format) {
    expect_error(code, what, [&] { parse_rgb_picture(bytes, "f"); });
  };
  refused("", "f: is not a picture");
  refused("GIF89a", "f: is not a picture");
  refused("P6 2 2 255\nabc", "f: is a PPM that is cut off");
  refused("P6 2 x", "f: is not a PPM picture: its header lacks a number");
  refused("P6 0 2 255\n", "f: is a picture without pixels");
  refused("P6 2 2 15\nabcdabcdabcd", "largest number is not 255");
  refused("P6 100000 100000 255\n", "f: has 100000 x 100000 pixels", ErrorCode::too_large);
  refused("\xff\xd8 no picture", "f: is not a JPEG picture that can be read");
  refused("\x89PNG no picture", "f: is not a PNG picture that can be read");
}

TEST(RgbPicture, JpegIsReadAndCutFilesAreNoCrash) {
  FGNN_SKIP_WITHOUT_DATA("voc");
  int read = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::data_folder() / "voc" / "pictures")) {
    const auto p = read_rgb_picture(entry.path());
    EXPECT_EQ(p.width, 256u);
    EXPECT_EQ(p.bytes.size(), 256u * 256 * 3);
    ++read;
  }
  EXPECT_EQ(read, 24);
}

TEST(RgbPicture, ResamplingKeepsWhatItShould) {
  RgbPicture p{4, 3, std::vector<std::uint8_t>(36, 100)};
  for (const float v : resampled(p, {0, 0, 4, 3}, 7, 2)) EXPECT_NEAR(v, 100, 1e-3);
  for (std::size_t i = 0; i < p.bytes.size(); ++i) p.bytes[i] = static_cast<std::uint8_t>(i * 7);
  const auto same = resampled(p, {0, 0, 4, 3}, 4, 3);  // nothing to do
  for (std::size_t i = 0; i < same.size(); ++i) EXPECT_NEAR(same[i], p.bytes[i], 1e-3);
  const auto part = resampled(p, {1, 1, 2, 2}, 2, 2);
  EXPECT_NEAR(part[0], p.pixel(1, 1)[0], 1e-3);
  EXPECT_NEAR(part[9], p.pixel(2, 2)[0], 1e-3);
  expect_error(ErrorCode::usage, "box: has no pixels", [&] { resampled(p, {0, 0, 0, 1}, 2, 2); });
}

}  // namespace
}  // namespace fgnn
