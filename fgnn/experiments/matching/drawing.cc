#include "fgnn/experiments/matching/drawing.h"

#include <fmt/format.h>

#include "fgnn/report/page.h"

namespace fgnn::matching {
namespace {

using report::escaped;

constexpr double kSide = 256, kGap = 40, kTop = 22;

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
    }
  }
  return out;
}

Point place(const Point& p, double left) {
  return {left + (p.x + 1) / 2 * kSide, kTop + (p.y + 1) / 2 * kSide};
}

void add_side(std::string& svg, const DrawnSide& side, double left) {
  svg += fmt::format("<text x=\"{}\" y=\"14\" font-size=\"12\">{}</text>\n", left,
                     escaped(side.caption));
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#eee\" stroke=\"#999\"/>\n", left,
      kTop, kSide, kSide);
  if (side.picture.empty()) return;
  const bool png = side.picture.starts_with("\x89PNG");
  svg += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "href=\"data:image/{};base64,{}\"/>\n",
      left, kTop, kSide, kSide, png ? "png" : "jpeg", base64(side.picture));
}

void add_points(std::string& svg, const DrawnSide& side, double left) {
  for (std::size_t i = 0; i < side.points.size(); ++i) {
    const Point at = place(side.points.at[i], left);
    const std::string name = i < side.points.names.size() ? side.points.names[i] : "";
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"#fff\" stroke=\"#000\">"
        "<title>{}</title></circle>\n",
        at.x, at.y, escaped(name));
  }
}

}  // namespace

std::string drawing(const DrawnSide& first, const DrawnSide& second, const Matching& matching,
                    const std::optional<std::vector<std::int32_t>>& partner) {
  const double right = kSide + kGap;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\">\n",
      2 * kSide + kGap, kTop + kSide + 2);
  add_side(svg, first, 0);
  add_side(svg, second, right);
  for (std::size_t i = 0; i < matching.partner.size(); ++i) {
    if (matching.partner[i] == kNobody) continue;
    const Point from = place(first.points.at[i], 0);
    const Point to = place(second.points.at[static_cast<std::size_t>(matching.partner[i])], right);
    const char* colour = !partner                               ? "#1f5fd0"
                         : (*partner)[i] == matching.partner[i] ? "#12a012"
                                                                : "#d01212";
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"2\" stroke-opacity=\"{:.2f}\"><title>{:.0f} %</title></line>\n",
        from.x, from.y, to.x, to.y, colour, 0.35 + 0.6 * matching.probability[i],
        100 * matching.probability[i]);
  }
  add_points(svg, first, 0);
  add_points(svg, second, right);
  return svg + "</svg>\n";
}

}  // namespace fgnn::matching
