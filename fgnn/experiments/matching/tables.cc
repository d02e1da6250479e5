#include "fgnn/experiments/matching/tables.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "fgnn/core/error.h"
#include "fgnn/experiments/matching/kept.h"
#include "fgnn/experiments/matching/paper.h"
#include "fgnn/experiments/matching/random_points.h"
#include "fgnn/experiments/matching/sweeps.h"

namespace fgnn::matching {
namespace {

struct Entrant {
  std::string label, method;
  ProblemOptions problem;
  std::size_t pairs;
  std::size_t seeds;
};

ProblemOptions weights(double feature, double position) {
  ProblemOptions o;
  o.feature = feature;
  o.position = position;
  o.edge = 0;
  return o;
}

std::vector<Entrant> voc_entrants(const ReportOptions& o) {
  std::vector<Entrant> all{{"features, Hungarian", "hungarian", weights(1, 0), o.pairs, o.seeds},
                           {"positions, Hungarian", "hungarian", weights(0, 1), o.pairs, o.seeds},
                           {"both, Hungarian", "hungarian", weights(1, 0.5), o.pairs, o.seeds}};
  for (const auto& solver : o.solvers) {
    all.push_back({solver + ", unit costs", solver, ProblemOptions::unit(), o.solver_pairs, 1});
  }
  for (const auto& solver : o.solvers) {
    all.push_back({solver + ", features too", solver, ProblemOptions::full(), o.solver_pairs, 1});
  }
  for (const auto& network : o.networks) {
    all.push_back({network_label(network), "fgnn:" + network, {}, o.pairs, o.seeds});
  }
  return all;
}

class Measuring {
 public:
  Measuring(const ReportOptions& options, KeptEvaluations& kept)
      : o_(options), kept_(kept), data_(std::make_shared<const KeypointData>(options.data)) {
    if (!o_.log.empty()) fingerprint_ = data_->fingerprint();
    for (std::size_t i = 0; i < data_->objects().size(); ++i) {
      if (data_->objects()[i].test) test_.push_back(i);
    }
  }

  ReportRow row(const std::string& table, const Entrant& entrant, Protocol protocol, bool turned) {
    const PairSource source(data_, test_, protocol, 2);
    MethodOptions common;
    common.threads = 1;
    const Matcher matcher(entrant.method, entrant.problem, common);
    const bool nobody = protocol == Protocol::unfiltered;
    ReportRow r{
        table, entrant.label, false, {}, {}, 0, {}, nobody ? "F1" : "accuracy", entrant.pairs, 0};
    const bool features =
        matcher.learned() ? matcher.scores()->feature_width() > 0 : entrant.problem.feature > 0;
    Json key = measured(table, entrant.label, matcher);
    key["data"] = fingerprint_;
    key["protocol"] = name_of(protocol);
    key["turned"] = turned;
    key["pairs"] = entrant.pairs;
    std::vector<double> means;
    for (std::size_t seed = 0; seed < entrant.seeds; ++seed) {
      key["seed"] = seed + 1;
      const Evaluation e = kept_.get(key, [&] {
        return evaluate([&](std::span<const PointPair> pairs) { return matcher.all(pairs); },
                        *data_, source,
                        {entrant.pairs, seed + 1, features, turned, o_.threads, o_.control,
                         table + ": " + entrant.label, experiments::after_stop(o_.log)});
      });
      r.by_class.resize(e.tallies.size());
      for (std::size_t c = 0; c < e.tallies.size(); ++c) {
        const double value = nobody ? e.tallies[c].f1() : e.tallies[c].accuracy();
        r.by_class[c] += 100 * value / static_cast<double>(entrant.seeds);
      }
      means.push_back(100 * (nobody ? e.f1() : e.accuracy()));
      r.seconds += e.seconds;
    }
    for (const double m : means) r.mean += m / static_cast<double>(means.size());
    if (means.size() > 1) {
      double squares = 0;
      for (const double m : means) squares += (m - r.mean) * (m - r.mean);
      r.deviation = std::sqrt(squares / static_cast<double>(means.size() - 1));
    }
    return r;
  }

 private:
  const ReportOptions& o_;
  KeptEvaluations& kept_;
  std::shared_ptr<const KeypointData> data_;
  std::string fingerprint_;  // of the data, for the log
  std::vector<std::size_t> test_;
};

void add_paper(std::vector<ReportRow>& rows) {
  for (const auto& p : paper_rows()) {
    ReportRow r{"voc",  p.method, true,       {}, {p.accuracy.begin(), p.accuracy.end()},
                p.mean, {},       "accuracy", 0,  0};
    rows.push_back(std::move(r));
  }
}

void add_protocols(const ReportOptions& o, Measuring& measuring, std::vector<ReportRow>& rows) {
  const auto add = [&](const std::string& network, const char* what, Protocol p, bool turned) {
    const Entrant e{network_label(network), "fgnn:" + network, {}, o.pairs, 1};
    auto row = measuring.row("protocols", e, p, turned);
    row.method += std::string(", ") + what;
    row.by_class.clear();
    rows.push_back(std::move(row));
  };
  for (const auto& n : o.networks) add(n, "inclusion", Protocol::inclusion, false);
  for (const auto& n : o.networks) add(n, "turned", Protocol::intersection, true);
  for (const auto& n : o.networks) add(n, "unfiltered", Protocol::unfiltered, false);
  for (const auto& n : o.open_networks) add(n, "unfiltered", Protocol::unfiltered, false);
}

std::string cell(double value) { return fmt::format("{:.1f}", value); }

std::string mean_cell(const ReportRow& r) {
  return r.deviation ? fmt::format("{:.1f} ± {:.1f}", r.mean, *r.deviation) : cell(r.mean);
}

// A sweep: a line per method, a column per setting.
report::HtmlTable sweep(const std::string& table, const std::vector<ReportRow>& rows) {
  report::HtmlTable t{{"method"}, {}, 1};
  for (const auto& r : rows) {
    if (r.table != table || !r.x) continue;
    const std::string title = fmt::format("{:g}", *r.x);
    if (std::ranges::find(t.titles, title) == t.titles.end()) t.titles.push_back(title);
    auto line = std::ranges::find_if(t.rows, [&](const auto& l) { return l[0] == r.method; });
    if (line == t.rows.end()) line = t.rows.insert(line, {r.method});
    line->push_back(cell(r.mean));
  }
  return t;
}

}  // namespace

const std::vector<report::TableInfo>& report_tables() {
  static const std::vector<report::TableInfo> all{
      {"voc", "Pascal VOC keypoints, % right, intersection protocol (section 5.3)"},
      {"protocols", "Other protocols: means over classes, %"},
      {"noise", "Random point sets, 20 inliers, % right by the noise's deviation"},
      {"outliers", "The same without noise, % of the inliers right by the number of outliers"},
      {"house", "CMU house, % right by the separation of frames"},
      {"hotel", "CMU hotel, % right by the separation of frames"}};
  return all;
}

std::string network_label(const std::string& network) {
  const std::filesystem::path file(network);
  if (file.extension() != ".safetensors") return network;
  const bool of_run = file.stem() == "model" && file.has_parent_path();
  return of_run ? file.parent_path().filename().string() : file.stem().string();
}

std::vector<ReportRow> measure_tables(const ReportOptions& o) {
  report::check_tables(o.tables, report_tables());
  std::vector<ReportRow> rows;
  KeptEvaluations kept(o.log);
  const auto wants = [&](const char* table) { return report::wants_table(o.tables, table); };
  if (wants("voc") || wants("protocols")) {
    Measuring measuring(o, kept);
    if (wants("voc")) {
      add_paper(rows);
      for (const auto& e : voc_entrants(o)) {
        rows.push_back(measuring.row("voc", e, Protocol::intersection, false));
      }
    }
    if (wants("protocols")) add_protocols(o, measuring, rows);
  }
  add_sweeps(o, kept, rows);
  return rows;
}

report::HtmlTable printed(const std::string& table, const std::vector<ReportRow>& rows,
                          bool classes) {
  if (table != "voc" && table != "protocols") return sweep(table, rows);
  report::HtmlTable t{{"method", "from"}, {}, 2};
  static const char* const kClasses[] = {"aero", "bike",  "bird", "boat",  "btl", "bus",   "car",
                                         "cat",  "chair", "cow",  "table", "dog", "horse", "mbk",
                                         "prn",  "plant", "shp",  "sofa",  "trn", "tv"};
  const bool wide = classes && table == "voc";
  if (wide) t.titles.insert(t.titles.end(), std::begin(kClasses), std::end(kClasses));
  t.titles.insert(t.titles.end(), {"mean", "pairs"});
  if (table == "protocols") t.titles.push_back("measure");
  for (const auto& r : rows) {
    if (r.table != table) continue;
    std::vector<std::string> line{r.method, r.of_paper ? "paper" : "here"};
    for (std::size_t c = 0; wide && c < std::size(kClasses); ++c) {
      line.push_back(c < r.by_class.size() ? cell(r.by_class[c]) : "");
    }
    line.push_back(mean_cell(r));
    line.push_back(r.pairs > 0 ? std::to_string(r.pairs) : "");
    if (table == "protocols") line.push_back(r.measure);
    t.rows.push_back(std::move(line));
  }
  return t;
}

}  // namespace fgnn::matching
