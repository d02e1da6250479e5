#include "fgnn/experiments/motion/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "fgnn/report/page.h"

namespace fgnn::motion {
namespace {

constexpr double kTall = 260, kEdge = 14, kTitle = 24;  // of a drawing, pixels
constexpr const char *kSeen = "#999", *kPredicted = "#1f6feb";

struct Flat {
  double x, y;
};

// From half the side, so that steps towards the viewer show.
Flat seen(const Vector& p) {
  constexpr double kTurn = 0.7;
  return {p[0] * std::cos(kTurn) + p[2] * std::sin(kTurn), -p[1]};
}

struct Box {
  double left = std::numeric_limits<double>::max(), top = left, right = -left, bottom = -left;

  void hold(const Track& track) {
    for (const auto& frame : track.frames) {
      for (const Vector& joint : frame) {
        const Flat p = seen(joint);
        left = std::min(left, p.x);
        right = std::max(right, p.x);
        top = std::min(top, p.y);
        bottom = std::max(bottom, p.y);
      }
    }
  }
  double scale() const { return kTall / std::max(bottom - top, 1.0); }
  double width() const { return (right - left) * scale() + 2 * kEdge; }
  double height() const { return kTall + 2 * kEdge + kTitle; }
};

// All bones of a frame as one path, so that two frames differ in numbers alone.
std::string path_of(const Skeleton& skeleton, const std::vector<Vector>& frame, const Box& box,
                    double shift) {
  std::string path;
  const auto point = [&](char command, const Vector& joint) {
    const Flat p = seen(joint);
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", command,
                   shift + kEdge + (p.x - box.left) * box.scale(),
                   kTitle + kEdge + (p.y - box.top) * box.scale());
  };
  for (std::size_t j = 1; j < skeleton.size(); ++j) {
    point('M', frame[static_cast<std::size_t>(skeleton.joints[j].parent)]);
    point('L', frame[j]);
  }
  return path;
}

std::string begin_svg(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"14\">\n",
      width, height);
}

std::string label(const std::string& text, double x) {
  return fmt::format("<text x=\"{:.0f}\" y=\"16\" text-anchor=\"middle\">{}</text>\n", x,
                     report::escaped(text));
}

std::string animate(const char* attribute, const std::string& values, double seconds) {
  return fmt::format(
      "<animate attributeName=\"{}\" calcMode=\"discrete\" dur=\"{:.2f}s\" "
      "repeatCount=\"indefinite\" values=\"{}\"/>",
      attribute, seconds, values);
}

}  // namespace

std::string moving_figures(const Skeleton& skeleton, const std::vector<Track>& tracks,
                           const FigureOptions& options) {
  Box box;
  for (const Track& t : tracks) box.hold(t);
  std::string svg = begin_svg(box.width() * static_cast<double>(tracks.size()), box.height());
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const double shift = box.width() * static_cast<double>(t);
    svg += label(tracks[t].label, shift + box.width() / 2);
    std::string paths, colours;
    const auto& frames = tracks[t].frames;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const char* between = f == 0 ? "" : ";";
      paths += between + path_of(skeleton, frames[f], box, shift);
      colours += fmt::format("{}{}", between, f < options.observed ? kSeen : kPredicted);
    }
    const double seconds = options.seconds * static_cast<double>(frames.size());
    svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"3\" "
        "stroke-linecap=\"round\">{}{}</path>\n",
        path_of(skeleton, frames.back(), box, shift), kPredicted, animate("d", paths, seconds),
        animate("stroke", colours, seconds));
  }
  return svg + "</svg>\n";
}

std::string still_figures(const Skeleton& skeleton, const Track& track, std::size_t every,
                          const FigureOptions& options) {
  Box box;
  box.hold(track);
  const double step = std::max(box.width() * 0.45, 40.0);
  const std::size_t shown = (track.frames.size() + every - 1) / every;
  std::string svg = begin_svg(box.width() + step * static_cast<double>(shown - 1), box.height());
  svg += label(track.label, box.width() / 2);
  for (std::size_t f = 0, i = 0; f < track.frames.size(); f += every, ++i) {
    svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
        "stroke-linecap=\"round\"/>\n",
        path_of(skeleton, track.frames[f], box, step * static_cast<double>(i)),
        f < options.observed ? kSeen : kPredicted);
  }
  return svg + "</svg>\n";
}

}  // namespace fgnn::motion
