#include "fgnn/experiments/handwriting/letter_pictures.h"

#include <fmt/format.h>

#include <cctype>

#include "fgnn/core/error.h"

namespace fgnn::handwriting {
namespace {

constexpr std::size_t kMostNumber = 1 << 20;

class Picture {
 public:
  Picture(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  HandwrittenWord read() {
    const char format = bytes_[1];
    at_ = 2;
    const std::size_t width = number("width"), height = number("height");
    const bool grey = format == '2' || format == '5', packed = format == '4' || format == '5';
    const std::size_t most = grey ? number("largest grey") : 1;
    if (height != kLetterHeight || width == 0 || width % kLetterWidth != 0) {
      fail(fmt::format("is {} x {} pixels", width, height),
           "letters are 8 wide and 16 high, side by side");
    }
    if (most == 0 || most > 255) fail(fmt::format("has greys up to {}", most), "1 to 255");
    if (packed) skip_one_space();
    HandwrittenWord word;
    word.images.resize(width / kLetterWidth);
    for (std::size_t y = 0; y < height; ++y) {
      for (auto& image : word.images) {
        if (format == '4') {  // eight pixels in a byte: a letter's row
          image.rows[y] = byte();
          continue;
        }
        for (std::size_t x = 0; x < kLetterWidth; ++x) {
          const bool ink = format == '1' ? bit() : 2 * (packed ? byte() : number("grey")) < most;
          image.rows[y] = static_cast<std::uint8_t>(image.rows[y] << 1 | ink);
        }
      }
    }
    if (!packed) skip_white();
    if (at_ < bytes_.size()) fail("continues after its last pixel");
    return word;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw Error(ErrorCode::format, file_, what, hint);
  }
  void skip_white() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      } else if (std::isspace(static_cast<unsigned char>(bytes_[at_]))) {
        ++at_;
      } else {
        return;
      }
    }
  }
  void skip_one_space() {
    if (at_ < bytes_.size()) ++at_;
  }
  std::size_t number(const char* what) {
    skip_white();
    std::size_t value = 0;
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && std::isdigit(static_cast<unsigned char>(bytes_[at_])) &&
           value < kMostNumber) {
      value = value * 10 + static_cast<std::size_t>(bytes_[at_++] - '0');
    }
    if (at_ == begin || value >= kMostNumber)
      fail(fmt::format("has no {} where one must be", what));
    return value;
  }
  bool bit() {  // digits of P1 need no spaces between
    skip_white();
    if (at_ >= bytes_.size() || (bytes_[at_] != '0' && bytes_[at_] != '1')) {
      fail("ends before its last pixel, or has one that is neither 0 nor 1");
    }
    return bytes_[at_++] == '1';
  }
  std::uint8_t byte() {
    if (at_ >= bytes_.size()) fail("ends before its last pixel");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }

  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_picture(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' &&
         (bytes[1] == '1' || bytes[1] == '2' || bytes[1] == '4' || bytes[1] == '5') &&
         std::isspace(static_cast<unsigned char>(bytes[2]));
}

HandwrittenWord parse_picture(std::string_view bytes, const std::string& file) {
  if (!is_picture(bytes)) {
    throw Error(ErrorCode::format, file, "is not a PBM or PGM picture", "P1, P2, P4 or P5");
  }
  return Picture(bytes, file).read();
}

}  // namespace fgnn::handwriting
