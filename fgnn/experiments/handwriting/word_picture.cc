#include "fgnn/experiments/handwriting/word_picture.h"

#include <fmt/format.h>

#include "fgnn/report/page.h"

namespace fgnn::handwriting {
namespace {

constexpr std::size_t kPixel = 4, kGap = 6, kLine = 16, kLabel = 90;

}  // namespace

std::string word_picture(const HandwrittenWord& word, const std::vector<PictureLine>& lines) {
  const std::size_t cell = kLetterWidth * kPixel + kGap;
  const std::size_t left = lines.empty() ? kGap : kLabel;
  const std::size_t width = left + word.images.size() * cell;
  const std::size_t top = kLetterHeight * kPixel + kGap;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"white\"/>\n",
      width, top + lines.size() * kLine + kGap);
  for (std::size_t i = 0; i < word.images.size(); ++i) {
    // One path per letter, a square per pixel.
    std::string path;
    for (std::size_t y = 0; y < kLetterHeight; ++y) {
      for (std::size_t x = 0; x < kLetterWidth; ++x) {
        if (!word.images[i].pixel(y, x)) continue;
        path += fmt::format("M{} {}h{}v{}h-{}z", left + i * cell + x * kPixel, y * kPixel, kPixel,
                            kPixel, kPixel);
      }
    }
    svg += fmt::format("<rect x=\"{}\" width=\"{}\" height=\"{}\" fill=\"#eeeeee\"/>",
                       left + i * cell, kLetterWidth * kPixel, kLetterHeight * kPixel);
    svg += fmt::format("<path d=\"{}\"/>\n", path);
  }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::size_t y = top + l * kLine + kLine / 2;
    svg += fmt::format("<text x=\"2\" y=\"{}\" fill=\"#666666\">{}</text>", y,
                       report::escaped(lines[l].label));
    for (std::size_t i = 0; i < lines[l].text.size(); ++i) {
      const bool wrong = i < word.text.size() && lines[l].text[i] != word.text[i];
      svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\"{}>{}</text>",
                         left + i * cell + kLetterWidth * kPixel / 2, y,
                         wrong ? " fill=\"#c00000\" font-weight=\"bold\"" : "",
                         report::escaped(lines[l].text.substr(i, 1)));
    }
    svg += "\n";
  }
  return svg + "</svg>\n";
}

}  // namespace fgnn::handwriting
