#include "fgnn/experiments/matching/sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "fgnn/experiments/matching/random_points.h"
#include "fgnn/experiments/matching/tracks.h"

namespace fgnn::matching {
namespace {

constexpr std::size_t kDropped = 5;

using Frames = std::vector<std::vector<Point>>;

// Two frames, the first turned at random, both centred; `dropped` points of each side are missing.
PointPair frames_pair(const std::vector<Point>& a, const std::vector<Point>& b, std::size_t dropped,
                      Rng& random) {
  const auto kept = [&](std::size_t n) {
    std::vector<std::size_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = i;
    random.shuffle(all);
    all.resize(n - std::min(dropped, n - 2));
    return all;
  };
  const auto first = kept(a.size()), second = kept(b.size());
  PointPair pair;
  for (const std::size_t i : first) pair.first.at.push_back(a[i]);
  for (const std::size_t i : second) pair.second.at.push_back(b[i]);
  turn(pair.first.at, random.uniform(0, 2 * std::numbers::pi));
  centre(pair.first.at);
  centre(pair.second.at);
  for (const std::size_t i : first) {
    const auto at = std::ranges::find(second, i);
    pair.partner.push_back(at == second.end() ? kNobody
                                              : static_cast<std::int32_t>(at - second.begin()));
  }
  return pair;
}

void add_row(const std::string& table, const Matcher& matcher, const std::string& label, double x,
             const std::function<PointPair(std::uint64_t)>& draw, std::size_t count,
             const ReportOptions& o, std::vector<ReportRow>& rows) {
  Stage stage(o.control, fmt::format("{}: {} at {:g}", table, label, x), 1);
  o.control.end_if_stopped(table, "nothing was kept");
  const Tally t = evaluate([&](std::span<const PointPair> pairs) { return matcher.all(pairs); },
                           draw, count, o.threads);
  stage.advance();
  rows.push_back({table, label, false, x, {}, 100 * t.accuracy(), {}, "accuracy", count, 0});
}

}  // namespace

void add_sweeps(const ReportOptions& o, std::vector<ReportRow>& rows) {
  const auto wants = [&](const char* table) { return report::wants_table(o.tables, table); };
  const char* const all[] = {"noise", "outliers", "house", "hotel"};
  if (std::ranges::none_of(all, wants)) return;  // nobody needs the networks
  for (const auto& network : o.point_networks) {
    const Matcher matcher("fgnn:" + network, {}, {});
    const std::string label = network_label(network);
    for (int step = 0; step <= 10 && wants("noise"); ++step) {
      const auto points = RandomPointsOptions::test(0.01 * step, 0);
      add_row(
          "noise", matcher, label, 0.01 * step,
          [&](std::uint64_t i) {
            Rng random(100 + static_cast<std::uint64_t>(step), i);
            return random_points(points, random);
          },
          o.sets, o, rows);
    }
    for (std::size_t outliers = 0; outliers <= 10 && wants("outliers"); ++outliers) {
      const auto points = RandomPointsOptions::test(0, outliers);
      add_row(
          "outliers", matcher, label, static_cast<double>(outliers),
          [&](std::uint64_t i) {
            Rng random(200 + outliers, i);
            return random_points(points, random);
          },
          o.sets, o, rows);
    }
    for (const char* film : {"house", "hotel"}) {
      if (!wants(film)) continue;
      const Frames frames = read_tracks(o.data / fmt::format("cmu_{}.tsv", film));
      for (const std::size_t dropped : {std::size_t{0}, kDropped}) {
        for (std::size_t apart = 10; apart <= 100 && apart < frames.size(); apart += 10) {
          add_row(
              film, matcher, dropped == 0 ? label : fmt::format("{}, {} dropped", label, dropped),
              static_cast<double>(apart),
              [&](std::uint64_t i) {
                Rng random(300 + apart, i);
                return frames_pair(frames[i], frames[i + apart], dropped, random);
              },
              frames.size() - apart, o, rows);
        }
      }
    }
  }
}

}  // namespace fgnn::matching
