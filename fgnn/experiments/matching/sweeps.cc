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

// The rows of one network.
class Sweeps {
 public:
  Sweeps(const std::string& network, const ReportOptions& options, KeptEvaluations& kept,
         std::vector<ReportRow>& rows)
      : matcher_("fgnn:" + network, {}, {}),
        label_(network_label(network)),
        measured_(measured("", label_, matcher_)),
        o_(options),
        kept_(kept),
        rows_(rows) {}

  void noise() {
    for (int step = 0; step <= 10; ++step) {
      const auto points = RandomPointsOptions::test(0.01 * step, 0);
      const auto draw = [&](std::uint64_t i) {
        Rng random(100 + static_cast<std::uint64_t>(step), i);
        return random_points(points, random);
      };
      add("noise", label_, 0.01 * step, draw, o_.sets, {});
    }
  }

  void outliers() {
    for (std::size_t outliers = 0; outliers <= 10; ++outliers) {
      const auto points = RandomPointsOptions::test(0, outliers);
      const auto draw = [&](std::uint64_t i) {
        Rng random(200 + outliers, i);
        return random_points(points, random);
      };
      add("outliers", label_, static_cast<double>(outliers), draw, o_.sets, {});
    }
  }

  void film(const std::string& name) {
    const Frames frames = read_tracks(o_.data / fmt::format("cmu_{}.tsv", name));
    const std::string data = fingerprint(frames);
    for (const std::size_t dropped : {std::size_t{0}, kDropped}) {
      const std::string label =
          dropped == 0 ? label_ : fmt::format("{}, {} dropped", label_, dropped);
      for (std::size_t apart = 10; apart <= 100 && apart < frames.size(); apart += 10) {
        const auto draw = [&](std::uint64_t i) {
          Rng random(300 + apart, i);
          return frames_pair(frames[i], frames[i + apart], dropped, random);
        };
        add(name, label, static_cast<double>(apart), draw, frames.size() - apart, data);
      }
    }
  }

 private:
  // `data`: a fingerprint of what the pairs are drawn from, where that is a file.
  void add(const std::string& table, const std::string& label, double x,
           const std::function<PointPair(std::uint64_t)>& draw, std::size_t count,
           const std::string& data) {
    Stage stage(o_.control, fmt::format("{}: {} at {:g}", table, label, x), 1);
    o_.control.end_if_stopped(table, experiments::after_stop(o_.log));
    Json key = measured_;
    key["table"] = table;
    key["method"] = label;
    if (!data.empty()) key["data"] = data;
    key["x"] = x;
    key["pairs"] = count;
    const Evaluation e = kept_.get(key, [&] {
      const auto match = [&](std::span<const PointPair> pairs) { return matcher_.all(pairs); };
      return Evaluation{{table}, {evaluate(match, draw, count, o_.threads)}, 0};
    });
    stage.advance();
    rows_.push_back({table, label, false, x, {}, 100 * e.accuracy(), {}, "accuracy", count, 0});
  }

  Matcher matcher_;
  std::string label_;
  Json measured_;  // but for the table, the data and the setting
  const ReportOptions& o_;
  KeptEvaluations& kept_;
  std::vector<ReportRow>& rows_;
};

}  // namespace

void add_sweeps(const ReportOptions& o, KeptEvaluations& kept, std::vector<ReportRow>& rows) {
  const auto wants = [&](const char* table) { return report::wants_table(o.tables, table); };
  const char* const all[] = {"noise", "outliers", "house", "hotel"};
  if (std::ranges::none_of(all, wants)) return;  // nobody needs the networks
  for (const auto& network : o.point_networks) {
    Sweeps sweeps(network, o, kept, rows);
    if (wants("noise")) sweeps.noise();
    if (wants("outliers")) sweeps.outliers();
    for (const char* film : {"house", "hotel"}) {
      if (wants(film)) sweeps.film(film);
    }
  }
}

}  // namespace fgnn::matching
