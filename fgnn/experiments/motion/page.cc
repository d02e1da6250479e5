// The page: tables, errors against horizons, and figures that move.
#include <fmt/format.h>

#include <algorithm>

#include "fgnn/experiments/motion/corpus.h"
#include "fgnn/experiments/motion/figures.h"
#include "fgnn/experiments/motion/forecaster.h"
#include "fgnn/experiments/motion/kinematics.h"
#include "fgnn/experiments/motion/tables.h"
#include "fgnn/experiments/motion/windows.h"
#include "fgnn/io/input_file.h"
#include "fgnn/report/chart.h"

namespace fgnn::motion {
namespace {

const char* const kShown[] = {"walking", "basketball", "soccer", "jumping"};

std::string chart_of(const TableSpec& t, const std::vector<Row>& rows) {
  report::LineChart chart{
      t.name, "ms ahead", t.form == Form::angle ? "angle error" : "3D error, mm", {}};
  for (const Row& row : rows) {
    if (row.table != t.name || row.action != "mean") continue;
    const std::string from = row.from == Row::From::published ? ", published" : "";
    report::LineChart::Line line{row.method + from, {}};
    for (std::size_t h = 0; h < row.errors.size(); ++h) {
      if (!row.errors[h]) continue;
      line.points.emplace_back(kHorizons[t.first_horizon + h].milliseconds, *row.errors[h]);
    }
    if (line.points.size() > 1) chart.lines.push_back(std::move(line));
  }
  return chart.lines.empty() ? "" : report::svg(chart);
}

// The first of a table's models of each network, where there is one.
std::vector<std::pair<std::string, Forecaster>> models_of(const TableSpec& t,
                                                          const ReportOptions& o) {
  std::vector<std::pair<std::string, Forecaster>> found;
  for (const Run& run : runs_of(t, o)) {
    const auto file = o.folder / run.name() / "model.safetensors";
    if (run.seed == 0 && file_exists(file)) {
      found.emplace_back(run.network, Forecaster::load(file.string()));
    }
  }
  return found;
}

Track truth_of(const Skeleton& skeleton, const Frames& frames, std::size_t first,
               std::size_t count) {
  Track track{"truth", {}};
  for (std::size_t f = first; f < first + count; ++f) {
    track.frames.push_back(joint_places(skeleton, frames[f]));
  }
  return track;
}

// The truth, and what each network makes of its first ten frames.
std::string figures_of(const Corpus& corpus, const Sequence& sequence, std::size_t first,
                       const std::vector<std::pair<std::string, Forecaster>>& models) {
  const Skeleton& skeleton = corpus.layout().skeleton;
  const Frames& frames = sequence.frames;
  std::vector<Track> tracks{truth_of(skeleton, frames, first, kObserved + kLongest)};
  tracks[0].label = sequence.action + ", truth";
  for (const auto& [name, forecaster] : models) {
    Track track = truth_of(skeleton, frames, first, kObserved);
    track.label = name;
    Rows observed;
    for (std::size_t f = 0; f < kObserved; ++f) {
      observed.push_back(forecaster.body().values(frames[first + f]));
    }
    const auto last = frames[first + kObserved - 1];
    for (const auto& row : forecaster.further(observed, kLongest)) {
      track.frames.push_back(forecaster.body().places(row, last));
    }
    tracks.push_back(std::move(track));
  }
  return moving_figures(skeleton, tracks, {.observed = kObserved, .seconds = 0.08});
}

report::Section moving_section(const ReportOptions& o) {
  report::Section section{"How it looks",
                          "The first test window of four actions at half speed: ten observed "
                          "frames in grey, then 25 predicted ones.",
                          {},
                          {}};
  const TableSpec& table = table_specs()[0];
  if (!o.wants(table) || o.cmu.empty()) return section;
  const auto models = models_of(table, o);
  const Corpus corpus(o.cmu);
  const auto sequences = corpus.read(Split::test, o.threads);
  const auto windows = test_windows(corpus.layout(), corpus.actions(), sequences, 1);
  for (const char* action : kShown) {
    for (const TestWindow& w : windows) {
      if (corpus.actions()[w.action] != action) continue;
      section.drawings.push_back(figures_of(corpus, sequences[w.sequence], w.first, models));
    }
  }
  return section;
}

}  // namespace

std::string page(const ReportOptions& o, const std::vector<Row>& rows) {
  std::vector<report::Section> sections;
  if (auto moving = moving_section(o); !moving.drawings.empty()) {
    sections.push_back(std::move(moving));
  }
  for (const TableSpec& t : table_specs()) {
    report::Section section{t.title, "", printed(t, rows), {}};
    if (section.table.rows.empty()) continue;
    for (const auto& note : notes(t, o, rows)) section.text += note + ". ";
    if (auto chart = chart_of(t, rows); !chart.empty()) section.drawings.push_back(chart);
    sections.push_back(std::move(section));
  }
  return report::html_page(
      "Human motion",
      "Section 5.6 of the paper: errors of predicted motion, by the field's protocol.", sections);
}

}  // namespace fgnn::motion
