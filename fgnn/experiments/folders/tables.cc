#include "fgnn/experiments/folders/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fgnn/report/chart.h"
#include "fgnn/report/comparison.h"
#include "fgnn/report/page.h"
#include "fgnn/report/text.h"

namespace fgnn::folders {
namespace {

using report::HtmlTable;

std::string whole(std::size_t count) { return fmt::format("{}", count); }

HtmlTable family_table(const std::vector<FamilyRow>& rows, Query query) {
  HtmlTable table;
  table.left = 2;
  table.titles = {"family", "method", "models", "answered", "exact"};
  const bool map = query == Query::map;
  for (const char* title :
       map ? std::vector<const char*>{"best", "gap", "gap %", "bound gap"}
           : std::vector<const char*>{"referenced", "error of p", "error of log10 Z"}) {
    table.titles.emplace_back(title);
  }
  table.titles.emplace_back("time");
  for (const FamilyRow& row : rows) {
    std::vector<std::string> cells{row.family, row.method, whole(row.models), whole(row.answered),
                                   whole(row.proved)};
    if (map) {
      cells.push_back(whole(row.best));
      cells.push_back(optional_text(row.gap, "{:.4g}"));
      cells.push_back(optional_text(row.percent_gap, "{:.2f}"));
      cells.push_back(optional_text(row.bound_gap, "{:.4g}"));
    } else {
      cells.push_back(whole(row.referenced));
      cells.push_back(optional_text(row.marginal_error, "{:.2e}"));
      cells.push_back(optional_text(row.z_error, "{:.2e}"));
    }
    cells.push_back(seconds_text(row.seconds));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// The numbers first, and the words, which may be long, last.
HtmlTable model_table(const std::vector<Measurement>& measurements, Query query) {
  HtmlTable table;
  table.left = 3;
  const std::vector<double> best = best_scores(measurements);
  table.titles = {"model", "method", "status"};
  const bool map = query == Query::map;
  for (const char* title :
       map ? std::vector<const char*>{"score", "bound", "gap"}
           : std::vector<const char*>{"log10 Z", "error of p", "error of log10 Z"}) {
    table.titles.emplace_back(title);
  }
  table.titles.emplace_back("time");
  table.titles.emplace_back("note");
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Measurement& m = measurements[i];
    std::vector<std::string> cells{m.model, m.method, m.status};
    if (map) {
      const bool scored = m.answered && m.score != kForbidden;
      cells.push_back(scored ? fmt::format("{:.6g}", m.score) : "");
      cells.push_back(std::isfinite(m.bound) ? fmt::format("{:.6g}", m.bound) : "");
      cells.push_back(
          scored ? fmt::format("{:.3g}", reaches(m.score, best[i]) ? 0 : best[i] - m.score) : "");
    } else {
      cells.push_back(optional_text(m.log10_z, "{:.6g}"));
      cells.push_back(optional_text(m.marginal_error, "{:.2e}"));
      cells.push_back(optional_text(m.z_error, "{:.2e}"));
    }
    cells.push_back(seconds_text(m.seconds));
    cells.push_back(m.note.empty() && !m.answerer.empty() ? "by " + m.answerer : m.note);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string table_text(const HtmlTable& table, std::size_t most) {
  std::vector<TextTable::Column> columns;
  for (std::size_t j = 0; j < table.titles.size(); ++j) {
    const bool left = j < table.left || table.titles[j] == "note";
    columns.push_back({table.titles[j], left ? Align::left : Align::right});
  }
  TextTable printed(columns);
  for (const auto& row : table.rows) printed.add(row);
  return printed.text(most);
}

std::size_t count_models(const std::vector<Measurement>& measurements) {
  std::set<std::pair<std::string, std::string>> models;
  for (const Measurement& m : measurements) models.insert({m.family, m.model});
  return models.size();
}

Json json_of(const FamilyRow& row) {
  Json object{{"family", row.family},     {"method", row.method}, {"models", row.models},
              {"answered", row.answered}, {"exact", row.proved},  {"best", row.best}};
  object["gap"] = optional_json(row.gap);
  object["percent_gap"] = optional_json(row.percent_gap);
  object["bound_gap"] = optional_json(row.bound_gap);
  object["referenced"] = row.referenced;
  object["marginal_error"] = optional_json(row.marginal_error);
  object["log10_partition_error"] = optional_json(row.z_error);
  object["seconds"] = row.seconds;
  return object;
}

// A bar for each family and method; families where no method has the figure are left out.
template <class Figure>
std::string bars(const std::vector<FamilyRow>& rows, const char* name, const char* label,
                 bool logarithmic, Figure figure) {
  report::BarChart chart{name, label, logarithmic, {}, {}};
  for (const FamilyRow& row : rows) {
    if (std::ranges::find(chart.series, row.method) == chart.series.end()) {
      chart.series.push_back(row.method);
    }
  }
  for (const FamilyRow& row : rows) {
    if (chart.groups.empty() || chart.groups.back().label != row.family) {
      chart.groups.push_back({row.family, {}});
      chart.groups.back().values.resize(chart.series.size());
    }
    const auto series = std::ranges::find(chart.series, row.method) - chart.series.begin();
    chart.groups.back().values[static_cast<std::size_t>(series)] = figure(row);
  }
  return svg(chart);
}

}  // namespace

std::string text(const std::vector<Measurement>& measurements, const Shown& shown) {
  std::string out;
  if (shown.details) {
    out += table_text(model_table(measurements, shown.query), shown.rows) + "\n";
  }
  return out + table_text(family_table(by_family(measurements), shown.query), 0);
}

std::string json(const std::vector<Measurement>& measurements, const Shown& shown) {
  Json rows = Json::array(), models = Json::array();
  for (const FamilyRow& row : by_family(measurements)) rows.push_back(json_of(row));
  for (const Measurement& m : measurements) {
    Json object{{"model", m.model}, {"family", m.family}};
    object.update(to_json(m));
    models.push_back(std::move(object));
  }
  Json whole{{"query", std::string(name(shown.query))}};
  whole["time_limit"] = std::isfinite(shown.time_limit) ? Json(shown.time_limit) : Json();
  whole["rows"] = std::move(rows);
  whole["models"] = std::move(models);
  return json_text(whole);
}

std::string page(const std::vector<Measurement>& measurements, const Shown& shown) {
  const std::vector<FamilyRow> rows = by_family(measurements);
  report::Section families{"By family", "", family_table(rows, shown.query), {}};
  if (shown.query == Query::map) {
    families.text =
        "answered: models with an allowed assignment; exact: with a proof; best: with the best "
        "score "
        "of all methods and files; gap: mean of that score minus the method's.";
    families.drawings.push_back(bars(rows, "gap", "mean gap to the best score, %", false,
                                     [](const FamilyRow& r) { return r.percent_gap; }));
  } else {
    families.text =
        "referenced: models with a known answer, of a file or an exact method; errors are means "
        "over "
        "them.";
    families.drawings.push_back(bars(
        rows, "error", "mean error of a probability", true,
        [](const FamilyRow& r) { return r.marginal_error > 0 ? r.marginal_error : std::nullopt; }));
  }
  families.drawings.push_back(bars(rows, "time", "mean time, s", true, [](const FamilyRow& r) {
    return r.seconds > 0 ? std::optional(r.seconds) : std::nullopt;
  }));
  const std::string limit =
      std::isfinite(shown.time_limit)
          ? fmt::format(", at most {} s for each model and method", shown.time_limit)
          : "";
  return report::html_page(
      "Comparison of methods",
      fmt::format("{} models, query {}{}.", count_models(measurements), name(shown.query), limit),
      {families, {"Models", "", model_table(measurements, shown.query), {}}});
}

}  // namespace fgnn::folders
