#include "fgnn/experiments/motion/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/gzip.h"
#include "fgnn/io/read_text.h"

namespace fgnn::motion {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 29;
constexpr double kUnit = 70;  // mm to a unit of CMU's translations, in which bones are written too

double network_seconds(const Layout& layout) { return layout.name == "cmu" ? 1.0 / 60 : 1.0 / 25; }

std::size_t kept_of(double frame_seconds, const Layout& layout) {
  return static_cast<std::size_t>(
      std::clamp(std::round(network_seconds(layout) / frame_seconds), 1.0, 1000.0));
}

Capture of_bvh(const std::string& text, const std::string& file, std::size_t every) {
  Capture c;
  c.hierarchy = parse_bvh(text, file);
  for (const Layout* l : {&cmu_layout(), &h36m_layout()}) {
    if (c.hierarchy.skeleton.same_tree(l->skeleton)) c.layout = l;
  }
  if (c.layout == nullptr) {
    throw Error(
        ErrorCode::format, file,
        fmt::format("its hierarchy of {} joints and end sites is not one that networks know",
                    c.hierarchy.skeleton.size()),
        "CMU's has 38 (as in cgspeed's conversion), H3.6M's 32");
  }
  c.every = every > 0 ? every : kept_of(c.hierarchy.frame_seconds, *c.layout);
  c.frame_seconds = c.hierarchy.frame_seconds * static_cast<double>(c.every);
  c.frames = exponential_maps(c.hierarchy, c.every);
  c.hierarchy.numbers.clear();
  c.hierarchy.frames = 0;
  return c;
}

Capture of_text(const std::string& text, const std::string& file, std::size_t every) {
  constexpr std::size_t kUsual = 2;  // of 120 or 50 frames per second
  Capture c;
  c.every = every > 0 ? every : kUsual;
  auto sequences = parse_frames(text, file, c.every);
  if (sequences.size() > 1) {
    throw Error(ErrorCode::format, file, fmt::format("has {} sequences", sequences.size()),
                "keep the one that is meant");
  }
  c.frames = std::move(sequences[0]);
  c.layout = &layout_of_columns(c.frames.columns, file);
  c.frame_seconds = network_seconds(*c.layout) / kUsual * static_cast<double>(c.every);
  Skeleton skeleton = c.layout->skeleton;
  for (Joint& j : skeleton.joints) {
    for (double& v : j.offset) v /= c.layout->name == "cmu" ? kUnit : 1;
  }
  c.hierarchy = bvh_like(skeleton);
  return c;
}

}  // namespace

Capture read_capture(const std::filesystem::path& file, std::size_t every) {
  const std::string text = unpacked(read_text(file, kMostBytes), file.string(), kMostBytes);
  return file.extension() == ".bvh" || text.starts_with("HIERARCHY")
             ? of_bvh(text, file.string(), every)
             : of_text(text, file.string(), every);
}

void check_capture_name(const std::filesystem::path& file) {
  if (file.extension() == ".bvh" || file.extension() == ".txt") return;
  throw Error(ErrorCode::usage, file.string(), "is not known by its ending",
              "motions are written as .bvh or .txt");
}

void write_capture(const std::filesystem::path& file, const Capture& like, const Frames& frames) {
  check_capture_name(file);
  const std::string text = file.extension() == ".bvh"
                               ? bvh_text(bvh_of(frames, like.hierarchy, like.frame_seconds))
                               : frames_text(frames);
  write_file(file, [&](std::ostream& out) { out << text; });
}

}  // namespace fgnn::motion
