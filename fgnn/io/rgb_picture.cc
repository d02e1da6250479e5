#include "fgnn/io/rgb_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>

#include "fgnn/core/error.h"
#include "fgnn/io/read_text.h"

#if FGNN_HAVE_JPEG
#include <jpeglib.h>
#endif
#if FGNN_HAVE_PNG
#include <png.h>
#endif

namespace fgnn {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::format, file, what);
}

void check_size(std::uint64_t width, std::uint64_t height, const std::string& file) {
  if (width == 0 || height == 0) refuse(file, "is a picture without pixels");
  if (width > kMostPixels || height > kMostPixels / width) {
    throw Error(ErrorCode::too_large, file, fmt::format("has {} x {} pixels", width, height),
                "make it smaller");
  }
}

#if FGNN_HAVE_JPEG
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

// Nothing here has a destructor: libjpeg leaves by longjmp. The first call asks for the size alone.
bool decode_jpeg(std::string_view bytes, JpegErrors& errors, std::uint8_t* out, std::size_t& width,
                 std::size_t& height) {
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = [](j_common_ptr common) {
    auto* mine = reinterpret_cast<JpegErrors*>(common->err);
    common->err->format_message(common, mine->message);
    std::longjmp(mine->jump, 1);
  };
  errors.manager.output_message = [](j_common_ptr) {};
  if (setjmp(errors.jump) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  width = info.image_width;
  height = info.image_height;
  if (out != nullptr) {
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = out + std::size_t{info.output_scanline} * width * 3;
      jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
  }
  jpeg_destroy_decompress(&info);
  return true;
}

RgbPicture parse_jpeg(std::string_view bytes, const std::string& file) {
  JpegErrors errors;
  RgbPicture picture;
  const auto decode = [&](std::uint8_t* out) {
    if (!decode_jpeg(bytes, errors, out, picture.width, picture.height)) {
      refuse(file, fmt::format("is not a JPEG picture that can be read: {}", errors.message));
    }
  };
  decode(nullptr);
  check_size(picture.width, picture.height, file);
  picture.bytes.resize(picture.width * picture.height * 3);
  decode(picture.bytes.data());
  return picture;
}
#endif

#if FGNN_HAVE_PNG
RgbPicture parse_png(std::string_view bytes, const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto check = [&](int fine) {
    if (fine != 0) return;
    const std::string message = image.message;
    png_image_free(&image);
    refuse(file, fmt::format("is not a PNG picture that can be read: {}", message));
  };
  check(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()));
  RgbPicture picture{image.width, image.height, {}};
  try {
    check_size(picture.width, picture.height, file);
  } catch (...) {
    png_image_free(&image);
    throw;
  }
  image.format = PNG_FORMAT_RGB;
  picture.bytes.resize(picture.width * picture.height * 3);
  const png_color white{255, 255, 255};
  check(png_image_finish_read(&image, &white, picture.bytes.data(), 0, nullptr));
  return picture;
}
#endif

// "P6 width height 255" and one byte of white space, comments from # to the end of a line.
RgbPicture parse_ppm(std::string_view bytes, const std::string& file) {
  std::size_t at = 2;
  const auto number = [&] {
    while (at < bytes.size() &&
           (std::isspace(static_cast<unsigned char>(bytes[at])) != 0 || bytes[at] == '#')) {
      if (bytes[at] == '#') at = std::min(bytes.find('\n', at), bytes.size() - 1);
      ++at;
    }
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9' && digits < 9;
         ++at, ++digits) {
      value = value * 10 + static_cast<std::uint64_t>(bytes[at] - '0');
    }
    if (digits == 0) refuse(file, "is not a PPM picture: its header lacks a number");
    return value;
  };
  const std::uint64_t width = number(), height = number(), most = number();
  check_size(width, height, file);
  if (most != 255) refuse(file, "is a PPM whose largest number is not 255");
  const std::uint64_t wanted = width * height * 3;
  if (at >= bytes.size() || bytes.size() - at - 1 < wanted)
    refuse(file, "is a PPM that is cut off");
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data()) + at + 1;
  return {width, height, {first, first + wanted}};
}

// Weights of the source pixels for each pixel of one line.
struct Weights {
  std::vector<std::size_t> first;
  std::vector<std::vector<float>> of;
};

double keys(double x) {
  x = std::abs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return 0;
}

Weights line_weights(std::size_t from, double begin, double length, std::size_t to) {
  Weights w;
  const double step = length / static_cast<double>(to), wide = std::max(1.0, step);
  for (std::size_t i = 0; i < to; ++i) {
    const double centre = begin + (static_cast<double>(i) + 0.5) * step;
    const auto most = static_cast<double>(from);
    const double low = std::clamp(std::floor(centre - 2 * wide), 0.0, most - 1);
    const double high = std::clamp(std::ceil(centre + 2 * wide), low + 1, most);
    std::vector<float> weights;
    double sum = 0;
    for (double p = low; p < high; ++p) {
      weights.push_back(static_cast<float>(keys((p + 0.5 - centre) / wide)));
      sum += weights.back();
    }
    if (sum == 0) weights[0] = 1, sum = 1;
    for (float& v : weights) v = static_cast<float>(v / sum);
    w.first.push_back(static_cast<std::size_t>(low));
    w.of.push_back(std::move(weights));
  }
  return w;
}

}  // namespace

RgbPicture parse_rgb_picture(std::string_view bytes, const std::string& file) {
  if (bytes.starts_with("\xff\xd8")) {
#if FGNN_HAVE_JPEG
    return parse_jpeg(bytes, file);
#else
    throw Error(ErrorCode::unsupported, file, "is a JPEG, which this program was built without",
                "build with libjpeg, or give a PPM");
#endif
  }
  if (bytes.starts_with("\x89PNG")) {
#if FGNN_HAVE_PNG
    return parse_png(bytes, file);
#else
    throw Error(ErrorCode::unsupported, file, "is a PNG, which this program was built without",
                "build with libpng, or give a PPM");
#endif
  }
  if (bytes.starts_with("P6")) return parse_ppm(bytes, file);
  refuse(file, "is not a picture: neither JPEG, PNG nor PPM (P6)");
}

RgbPicture read_rgb_picture(const std::filesystem::path& file) {
  return parse_rgb_picture(read_text(file), file.string());
}

std::vector<float> resampled(const RgbPicture& picture, const PictureBox& box, std::size_t width,
                             std::size_t height) {
  if (!(box.width > 0 && box.height > 0)) {
    throw Error(ErrorCode::usage, "box", "has no pixels");
  }
  const Weights across = line_weights(picture.width, box.x, box.width, width);
  const Weights down = line_weights(picture.height, box.y, box.height, height);
  std::vector<float> lines(picture.height * width * 3);
  for (std::size_t y = 0; y < picture.height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t k = 0; k < across.of[x].size(); ++k) {
        const std::uint8_t* pixel = picture.pixel(y, across.first[x] + k);
        for (std::size_t c = 0; c < 3; ++c) {
          lines[(y * width + x) * 3 + c] += across.of[x][k] * static_cast<float>(pixel[c]);
        }
      }
    }
  }
  std::vector<float> out(height * width * 3);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t k = 0; k < down.of[y].size(); ++k) {
      const float* line = lines.data() + (down.first[y] + k) * width * 3;
      for (std::size_t i = 0; i < width * 3; ++i) out[y * width * 3 + i] += down.of[y][k] * line[i];
    }
  }
  for (float& v : out) v = std::clamp(v, 0.0f, 255.0f);
  return out;
}

}  // namespace fgnn
