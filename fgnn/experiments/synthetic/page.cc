#include "fgnn/experiments/synthetic/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "fgnn/report/chart.h"

namespace fgnn::synthetic {
namespace {

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "";
}

std::string microseconds(const std::optional<double>& value) {
  return value ? *value < 10 ? fmt::format("{:.1f}", *value) : fmt::format("{:.0f}", *value) : "";
}

std::string with_error(const std::optional<double>& value, const std::optional<double>& error) {
  if (!value) return "";
  return error ? fmt::format("{:.2f} ± {:.2f}", *value, *error) : fmt::format("{:.2f}", *value);
}

std::vector<const Row*> of_table(const std::string& table, const std::vector<Row>& rows) {
  std::vector<const Row*> found;
  for (const Row& row : rows) {
    if (row.table == table) found.push_back(&row);
  }
  return found;
}

report::BarChart bars(const std::string& table, const std::vector<Row>& rows) {
  report::BarChart chart;
  chart.name = "table_" + table;
  chart.series = {"here", "paper"};
  for (const Row* row : of_table(table, rows)) {
    chart.y_label = row->unit == "%" ? "agreement, %" : "microseconds";
    chart.logarithmic = row->unit != "%";
    if (!row->ours && !row->paper) continue;
    chart.groups.push_back({row->dataset + " " + row->method, {row->ours, row->paper}});
  }
  return chart;
}

report::PointChart gaps_by_time(const std::string& table, const std::vector<Row>& rows) {
  report::PointChart chart{
      "gaps_" + table, "microseconds an instance", "mean gap to the optimum", {}};
  for (const Row* row : of_table(table, rows)) {
    if (row->score_gap && row->microseconds && row->feasible == 100.0) {
      chart.points.push_back({row->method, *row->microseconds, *row->score_gap});
    }
  }
  return chart;
}

// The networks behind the rows, each once: what is run is "fgnn:NAME" with its settings.
std::set<std::string> networks_of(const std::vector<Row>& rows) {
  constexpr std::string_view kNetwork = "fgnn:";
  std::set<std::string> names;
  for (const Row& row : rows) {
    if (!row.how.starts_with(kNetwork)) continue;
    const std::string settings = row.how.substr(kNetwork.size());
    names.insert(settings.substr(0, settings.find(',')));
  }
  return names;
}

// Validation accuracy of these networks while they were trained.
report::LineChart learning_curves(const std::set<std::string>& networks,
                                  const std::filesystem::path& weights) {
  report::LineChart chart{"curves", "step", "validation accuracy, %", {}};
  for (const std::string& name : networks) {
    report::LineChart::Line line{name, {}};
    std::ifstream in(weights / (name + ".metrics.jsonl"));
    for (std::string text; std::getline(in, text);) {
      const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
      if (!json.is_object() || !json.contains("step") || !json.contains("validation_accuracy") ||
          !json["validation_accuracy"].is_number()) {
        continue;
      }
      line.points.emplace_back(json["step"].get<double>(),
                               100 * json["validation_accuracy"].get<double>());
    }
    if (!line.points.empty()) chart.lines.push_back(std::move(line));
  }
  return chart;
}

constexpr const char* kExplanation =
    "Agreement is the percentage of variables in the state of the exact MAP, with its standard "
    "error "
    "over instances. Exact: instances answered with the optimum's score. Feasible: answers that no "
    "budget forbids. Gap: optimum minus score, over feasible answers. Open: how much of the score "
    "AD3's bound leaves unproved; proved: instances on which bound and score meet. Times are per "
    "instance on one thread of this machine; the paper's are of its own, networks on a GPU.";

}  // namespace

report::HtmlTable printed(const std::string& table, const std::vector<Row>& rows) {
  const bool times = table == "timing";
  report::HtmlTable result;
  result.left = 2;
  if (times) {
    result.titles = {"dataset", "method", "here, µs", "paper, µs"};
  } else {
    result.titles = {"dataset", "method", "here, %",  "paper, %", "exact %",    "feasible %",
                     "gap",     "open %", "proved %", "time, µs", "paper's, µs"};
  }
  for (const Row* row : of_table(table, rows)) {
    if (times) {
      result.rows.push_back(
          {row->dataset, row->method, microseconds(row->ours), microseconds(row->paper)});
      continue;
    }
    result.rows.push_back({row->dataset, row->method, with_error(row->ours, row->error),
                           with_error(row->paper, row->paper_error), number(row->exact, 1),
                           number(row->feasible, 1), number(row->score_gap, 4),
                           number(row->left_open, 2), number(row->proved, 1),
                           microseconds(row->microseconds), microseconds(row->paper_microseconds)});
  }
  return result;
}

std::vector<std::string> notes(const std::string& table, const std::vector<Row>& rows) {
  std::vector<std::string> texts;
  for (const Row* row : of_table(table, rows)) {
    if (row->note.empty() || std::ranges::find(texts, row->note) != texts.end()) continue;
    texts.push_back(row->note);
  }
  return texts;
}

std::string synthetic_page(const std::vector<Row>& rows, const SyntheticReportOptions& options) {
  std::vector<report::Section> sections;
  for (const report::TableInfo& info : synthetic_tables()) {
    report::Section section;
    section.heading = info.title;
    section.table = printed(info.name, rows);
    if (section.table.rows.empty()) continue;
    const auto found = of_table(info.name, rows);
    section.text =
        fmt::format("{} instances per dataset, seed {}. ",
                    std::ranges::max(found, {}, &Row::instances)->instances, options.seed);
    for (const std::string& note : notes(info.name, rows)) section.text += note + ". ";
    section.drawings.push_back(info.name == "d5" ? report::svg(gaps_by_time(info.name, rows))
                                                 : report::svg(bars(info.name, rows)));
    sections.push_back(std::move(section));
  }
  if (const auto curves = learning_curves(networks_of(rows), options.weights);
      !curves.lines.empty()) {
    sections.push_back({"How the networks learned", "", {}, {report::svg(curves)}});
  }
  const bool drawn = std::ranges::any_of(sections, [](const report::Section& section) {
    return std::ranges::any_of(section.drawings, [](const auto& d) { return !d.empty(); });
  });
  return report::html_page("MAP inference on synthetic models",
                           std::string(kExplanation) +
                               (drawn ? "" : " There is no gnuplot here, so there are no plots."),
                           sections);
}

}  // namespace fgnn::synthetic
