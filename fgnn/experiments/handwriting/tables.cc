#include "fgnn/experiments/handwriting/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fgnn/core/mean.h"

namespace fgnn::handwriting {
namespace {

// Read off the paper's figures.
constexpr double kPaperOrders[] = {84.4, 92.0, 95.2, 96.0, 95.8};
constexpr double kPaperSeconds[] = {0.36, 0.84, 1.13, 1.43, 1.75, 2.07, 2.42};  // on a GPU
struct PaperRank {
  double accuracy, half_bar;
};
const std::map<std::size_t, PaperRank> kPaperRanks{{64, {89.1, 1.9}},   {128, {89.6, 1.3}},
                                                   {256, {90.7, 1.6}},  {512, {92.6, 1.9}},
                                                   {1024, {95.2, 0.9}}, {2048, {95.6, 0.5}}};

// The mean of a figure over the folds, and its deviation from fold to fold.
class OverFolds {
 public:
  void add(double value) {
    mean_.add(value);
    values_.push_back(value);
  }
  std::optional<double> mean() const { return mean_.value(); }
  std::optional<double> deviation() const {
    if (values_.size() < 2) return std::nullopt;
    double sum = 0;
    for (const double v : values_) sum += (v - *mean()) * (v - *mean());
    return std::sqrt(sum / static_cast<double>(values_.size() - 1));
  }

 private:
  Mean mean_;
  std::vector<double> values_;
};

using Figure = double (*)(const HandwritingOutcome&);

// A row for those runs; `figure` is what is reported.
HandwritingRow row_of(
    const std::string& table, const std::string& setting, double x,
    const std::vector<HandwritingRun>& runs, const HandwritingResults& results,
    Figure figure = [](const HandwritingOutcome& o) { return o.all.percent(); }) {
  HandwritingRow row{.table = table, .setting = setting, .planned = runs.size(), .x = x};
  OverFolds ours, words, minutes;
  for (const auto& run : runs) {
    const HandwritingOutcome* o = results.find(run);
    if (o == nullptr) continue;
    ++row.finished;
    ours.add(figure(*o));
    words.add(100.0 * static_cast<double>(o->words_right) / static_cast<double>(o->words));
    minutes.add(o->seconds / 60);
  }
  row.ours = ours.mean();
  row.deviation = ours.deviation();
  row.words = words.mean();
  row.minutes = minutes.mean();
  return row;
}

template <class Key>
std::map<Key, std::vector<HandwritingRun>> grouped(const std::vector<HandwritingRun>& runs,
                                                   Key (*key)(const HandwritingRun&)) {
  std::map<Key, std::vector<HandwritingRun>> groups;
  for (const auto& run : runs) groups[key(run)].push_back(run);
  return groups;
}

std::size_t order_of(const HandwritingRun& run) { return run.order; }
std::size_t rank_of(const HandwritingRun& run) { return run.rank; }
std::size_t fold_of(const HandwritingRun& run) { return run.fold; }
std::string kind_of(const HandwritingRun& run) { return run.kind; }

void add_orders(const std::string& table, const HandwritingReportOptions& o,
                const HandwritingResults& results, std::vector<HandwritingRow>& rows) {
  for (const auto& [order, runs] : grouped(handwriting_runs(table, o), order_of)) {
    auto row =
        row_of(table, fmt::format("order {}", order), static_cast<double>(order), runs, results);
    if (table == "orders" || order <= 3) row.paper = kPaperOrders[order];
    rows.push_back(row);
  }
}

void add_main(const HandwritingReportOptions& o, const HandwritingResults& results,
              std::vector<HandwritingRow>& rows) {
  const auto all = handwriting_runs("main", o);
  for (const auto& [fold, runs] : grouped(all, fold_of)) {
    rows.push_back(
        row_of("main", fmt::format("fold {}", fold), static_cast<double>(fold), runs, results));
  }
  auto mean = row_of("main", "all folds", -1, all, results);
  mean.paper = kPaperOrders[3];
  rows.push_back(mean);
}

void add_timing(const HandwritingReportOptions& o, const HandwritingResults& results,
                std::vector<HandwritingRow>& rows) {
  for (const EpochTime& timing : handwriting_timings(o)) {
    HandwritingRow row{.table = "timing",
                       .setting = fmt::format("order {}", timing.order),
                       .paper = kPaperSeconds[timing.order],
                       .planned = 1,
                       .x = static_cast<double>(timing.order)};
    if (const EpochTime* found = results.find(timing)) {
      row.ours = found->seconds;
      row.finished = 1;
    }
    rows.push_back(row);
  }
}

void add_baselines(const HandwritingReportOptions& o, const HandwritingResults& results,
                   std::vector<HandwritingRow>& rows) {
  const auto groups = grouped(handwriting_runs("baselines", o), kind_of);
  const auto add = [&](const char* kind, const char* setting) {
    rows.push_back(row_of("baselines", setting, 0, groups.at(kind), results));
  };
  add("fgnn", "every letter alone");
  add("crf", "linear-chain CRF");
  add("mpnn", "pairwise messages (MPNN)");
  auto lexicon = row_of("baselines", "lexicon of the training words", 0, groups.at("fgnn"), results,
                        [](const HandwritingOutcome& out) { return out.lexicon.percent(); });
  lexicon.words = std::nullopt;
  lexicon.minutes = std::nullopt;
  lexicon.note = "the list is given, by letters read alone";
  rows.push_back(lexicon);
}

void add_held_out(const HandwritingReportOptions& o, const HandwritingResults& results,
                  std::vector<HandwritingRow>& rows) {
  for (const auto& [order, runs] : grouped(handwriting_runs("held-out", o), order_of)) {
    const auto add = [&](const char* which, Figure figure) {
      auto row = row_of("held-out", fmt::format("order {}, {}", order, which),
                        static_cast<double>(order), runs, results, figure);
      row.words = std::nullopt;
      rows.push_back(row);
    };
    add("words never seen", [](const HandwritingOutcome& out) { return out.held_out.percent(); });
    add("words seen", [](const HandwritingOutcome& out) { return out.seen.percent(); });
  }
}

void add_ranks(const HandwritingReportOptions& o, const HandwritingResults& results,
               std::vector<HandwritingRow>& rows) {
  for (const auto& [rank, runs] : grouped(handwriting_runs("ranks", o), rank_of)) {
    auto row =
        row_of("ranks", fmt::format("rank {}", rank), static_cast<double>(rank), runs, results);
    row.paper = kPaperRanks.at(rank).accuracy;
    row.paper_error = kPaperRanks.at(rank).half_bar;
    rows.push_back(row);
  }
}

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "";
}

}  // namespace

std::vector<HandwritingRow> handwriting_rows(const HandwritingReportOptions& o,
                                             const HandwritingResults& results) {
  std::vector<HandwritingRow> rows;
  if (o.wants("orders")) add_orders("orders", o, results, rows);
  if (o.wants("main")) add_main(o, results, rows);
  if (o.wants("timing")) add_timing(o, results, rows);
  if (o.wants("plain")) add_orders("plain", o, results, rows);
  if (o.wants("baselines")) add_baselines(o, results, rows);
  if (o.wants("product")) add_orders("product", o, results, rows);
  if (o.wants("held-out")) add_held_out(o, results, rows);
  if (o.wants("ranks")) add_ranks(o, results, rows);
  return rows;
}

std::optional<LinearFit> timing_fit(const std::vector<HandwritingRow>& rows) {
  std::vector<std::pair<double, double>> points;
  for (const auto& row : rows) {
    if (row.table == "timing" && row.ours) points.emplace_back(row.x, *row.ours);
  }
  return linear_fit(points);
}

report::HtmlTable printed(const std::string& table, const std::vector<HandwritingRow>& rows) {
  const bool seconds = table == "timing";
  report::HtmlTable out;
  out.titles = seconds ? std::vector<std::string>{"setting", "seconds", "paper (GPU)"}
                       : std::vector<std::string>{"setting", "letters %", "deviation", "words %",
                                                  "paper %", "folds",     "minutes"};
  for (const auto& row : rows) {
    if (row.table != table) continue;
    if (seconds) {
      out.rows.push_back({row.setting, number(row.ours, 2), number(row.paper, 2)});
      continue;
    }
    const std::string paper = row.paper_error
                                  ? fmt::format("{:.1f} ± {:.1f}", *row.paper, *row.paper_error)
                                  : number(row.paper, 1);
    out.rows.push_back(
        {row.setting, number(row.ours, 2), number(row.deviation, 2), number(row.words, 2), paper,
         row.finished == row.planned ? std::to_string(row.finished)
                                     : fmt::format("{} of {}", row.finished, row.planned),
         number(row.minutes, 1)});
  }
  return out;
}

std::vector<std::string> handwriting_notes(const std::string& table,
                                           const std::vector<HandwritingRow>& rows) {
  std::vector<std::string> notes;
  for (const auto& row : rows) {
    if (row.table == table && !row.note.empty()) notes.push_back(row.setting + ": " + row.note);
  }
  if (table != "timing") return notes;
  if (const auto fit = timing_fit(rows)) {
    notes.push_back(fmt::format("linear fit: {:.2f} + {:.2f} order, R² {:.4f}", fit->intercept,
                                fit->slope, fit->r_squared));
  }
  return notes;
}

}  // namespace fgnn::handwriting
