// Colour pictures: JPEG and PNG where libjpeg and libpng were there when this was built, and PPM
// (P6) always. Grey ones get three equal colours; what is transparent is shown on white.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fgnn {

struct RgbPicture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  // height x width x 3: red, green, blue

  const std::uint8_t* pixel(std::size_t y, std::size_t x) const {
    return bytes.data() + (y * width + x) * 3;
  }
};

inline constexpr std::uint64_t kMostPixels = 1u << 26;

// Throws Error(format) naming the file, Error(too_large) above kMostPixels, and Error(unsupported)
// for formats that are not built in.
RgbPicture parse_rgb_picture(std::string_view bytes, const std::string& file);
RgbPicture read_rgb_picture(const std::filesystem::path& file);

// A part of the picture, stretched to another size: the box x, y, width, height in pixels, which
// may be fractions, sampled by the bicubic kernel (Keys 1981, a = -1/2), widened where the picture
// shrinks. Three numbers per pixel, 0 to 255 (a little beyond at sharp edges is cut off).
struct PictureBox {
  double x = 0, y = 0, width = 0, height = 0;
};
std::vector<float> resampled(const RgbPicture& picture, const PictureBox& box, std::size_t width,
                             std::size_t height);

}  // namespace fgnn
