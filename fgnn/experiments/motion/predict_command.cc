// fgnn predict motion: a capture goes on.
#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/experiments/motion/capture.h"
#include "fgnn/experiments/motion/commands.h"
#include "fgnn/experiments/motion/figures.h"
#include "fgnn/experiments/motion/forecaster.h"
#include "fgnn/experiments/motion/kinematics.h"
#include "fgnn/experiments/motion/windows.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/report/json.h"
#include "fgnn/report/page.h"
#include "fgnn/report/text_table.h"

namespace fgnn::motion {
namespace {

using experiments::Arguments;
using Kind = experiments::Option::Kind;

constexpr std::size_t kMostFrames = 10000, kShown = 3;

void check(const Forecaster& forecaster, const Capture& capture, const std::string& file,
           const Arguments& given) {
  const Layout& known = forecaster.body().layout();
  if (known.name != capture.layout->name) {
    throw Error(ErrorCode::usage, file,
                fmt::format("has the skeleton of {}, the network that of {}", capture.layout->name,
                            known.name),
                "name another network with --model");
  }
  if (capture.frames.size() < kObserved) {
    throw Error(ErrorCode::usage, file,
                fmt::format("has {} frames when every {} is kept, and ten are observed",
                            capture.frames.size(), capture.every),
                "give a longer capture, or a smaller --every");
  }
  if (given.has("--motion") && forecaster.body().form() != Form::angle) {
    throw Error(ErrorCode::usage, "--motion", "needs a network of angles, and this has positions",
                "draw with --svg or --html, or name another network with --model");
  }
}

Rows predict(const Forecaster& forecaster, const Capture& capture, std::size_t frames) {
  Rows observed;
  for (std::size_t f = capture.frames.size() - kObserved; f < capture.frames.size(); ++f) {
    observed.push_back(forecaster.body().values(capture.frames[f]));
  }
  return forecaster.further(observed, frames);
}

// Ten observed frames and those predicted, as bodies that stay where they are.
Track track_of(const Forecaster& forecaster, const Capture& capture, const Rows& predicted) {
  Track track{"observed, then predicted", {}};
  const std::size_t end = capture.frames.size();
  const Skeleton& skeleton = forecaster.body().layout().skeleton;
  for (std::size_t f = end - kObserved; f < end; ++f) {
    track.frames.push_back(joint_places(skeleton, capture.frames[f]));
  }
  for (const auto& row : predicted) {
    track.frames.push_back(forecaster.body().places(row, capture.frames[end - 1]));
  }
  return track;
}

void write_drawings(const Arguments& given, const Forecaster& forecaster, const Capture& capture,
                    const Rows& predicted) {
  if (!given.has("--svg") && !given.has("--html")) return;
  const Track track = track_of(forecaster, capture, predicted);
  const Skeleton& skeleton = forecaster.body().layout().skeleton;
  const FigureOptions how{.observed = kObserved, .seconds = capture.frame_seconds};
  if (given.has("--svg")) {
    write_file(given.text("--svg"),
               [&](std::ostream& out) { out << still_figures(skeleton, track, kShown, how); });
  }
  if (given.has("--html")) {
    report::Section section{"Predicted motion", "Observed frames are grey.", {}, {}};
    section.drawings.push_back(moving_figures(skeleton, {track}, how));
    write_file(given.text("--html"), [&](std::ostream& out) {
      out << report::html_page("Motion", given.text("FILE"), {section});
    });
  }
}

experiments::Output run(const Arguments& given) {
  const std::string file = given.text("FILE"), motion = given.text("--motion");
  if (!motion.empty()) check_capture_name(motion);
  const std::size_t frames = given.whole("--frames");
  if (frames < 1 || frames > kMostFrames) {
    throw Error(ErrorCode::usage, "--frames", fmt::format("must be 1 to {}", kMostFrames));
  }
  const std::size_t every = given.has("--every") ? given.whole("--every") : 0;
  if (given.has("--every") && every == 0)
    throw Error(ErrorCode::usage, "--every", "must be above 0");
  const Capture capture = read_capture(file, every);
  const Forecaster forecaster = Forecaster::load(given.text("--model"));
  check(forecaster, capture, file, given);
  const Rows predicted = predict(forecaster, capture, frames);
  if (!motion.empty()) {
    // The root is not part of what networks predict: it stays as it was last.
    Frames all = capture.frames;
    for (const auto& row : predicted) {
      all.add(forecaster.body().completed(row, capture.frames[capture.frames.size() - 1]));
    }
    write_capture(motion, capture, all);
  }
  write_drawings(given, forecaster, capture, predicted);
  Summary summary;
  summary.add("skeleton", capture.layout->name);
  summary.add("frames kept",
              fmt::format("{}, every {} of the file, {:.1f} per second", capture.frames.size(),
                          capture.every, 1 / capture.frame_seconds));
  summary.add("predicted", fmt::format("{} frames, {:.3f} s", frames,
                                       static_cast<double>(frames) * capture.frame_seconds));
  for (const char* option : {"--motion", "--svg", "--html"}) {
    if (given.has(option)) summary.add(std::string(option).substr(2), given.text(option));
  }
  Json json{{"file", file},
            {"skeleton", capture.layout->name},
            {"frames", capture.frames.size()},
            {"every", capture.every},
            {"frame_seconds", capture.frame_seconds},
            {"form", name_of(forecaster.body().form())},
            {"unit", unit_of(forecaster.body().form())},
            {"predicted", predicted}};
  return {summary.text(), json_text(json)};
}

}  // namespace

experiments::Command predict_command() {
  return {.name = "predict motion",
          .summary = "How a captured body moves on",
          .help =
              "Reads BVH with CMU's hierarchy (38 joints and end sites) or H3.6M's, or text with a "
              "frame of\n117 or 99 exponential maps a line, and predicts what follows the last "
              "frame. Captures are thinned\nto the rate that networks know: of 120 frames per "
              "second every other is kept. 25 frames are what the\nfield calls a second; more are "
              "predicted from predictions. The root stays where it was last.\n--motion writes "
              "the kept frames and what follows; --json prints the nodes of predicted frames.",
          .examples = {"fgnn predict motion walk.bvh --motion longer.bvh --html longer.html",
                       "fgnn predict motion walking_1.txt --model runs/fgnn --svg frames.svg"},
          .options = {{.name = "FILE", .help = "A capture", .required = true},
                      {"--model", "MODEL",
                       "A file, the folder of a training, or a network that comes with the program",
                       Kind::text, "motion"},
                      {"--frames", "N", "To predict", Kind::whole, "25"},
                      {"--every", "N", "Keep every N-th frame; default: by the frame rate",
                       Kind::whole},
                      {"--motion", "FILE", "Write the motion, .bvh or .txt"},
                      {"--svg", "FILE", "Draw every third frame"},
                      {"--html", "FILE", "A page with the motion"}},
          .run = run};
}

}  // namespace fgnn::motion
