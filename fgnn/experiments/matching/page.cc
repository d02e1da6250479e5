#include "fgnn/experiments/matching/page.h"

#include <fmt/format.h>

#include "fgnn/experiments/matching/drawing.h"
#include "fgnn/experiments/matching/picture_pairs.h"
#include "fgnn/io/read_text.h"
#include "fgnn/report/chart.h"

namespace fgnn::matching {
namespace {

std::string chart_of(const std::string& table, const std::string& x_label,
                     const std::vector<ReportRow>& rows) {
  report::LineChart chart{"matching_" + table, x_label, "right, %", {}};
  for (const auto& r : rows) {
    if (r.table != table || !r.x) continue;
    auto line = std::ranges::find(chart.lines, r.method, &report::LineChart::Line::label);
    if (line == chart.lines.end()) line = chart.lines.insert(line, {r.method, {}});
    line->points.emplace_back(*r.x, r.mean);
  }
  return chart.lines.empty() ? "" : svg(chart);
}

std::string x_label(const std::string& table) {
  if (table == "noise") return "deviation of the noise";
  if (table == "outliers") return "outliers on each side";
  return "frames apart";
}

// The pairs of pictures that the folder has, matched by the first network.
report::Section pictures(const ReportOptions& o) {
  report::Section section;
  section.heading = "Matches";
  section.text = fmt::format(
      "Test objects of the data folder, keypoints that both have, matched by {}: right in green, "
      "wrong in red; the surer, the stronger.",
      network_label(o.networks[0]));
  const KeypointData data(o.data);
  const Matcher matcher("fgnn:" + o.networks[0], {}, {});
  for (const auto& p : picture_pairs(o.data, data)) {
    const auto matched = matcher(p.points.first, p.points.second);
    section.drawings.push_back(
        drawing({p.points.first, p.first_name, read_text(p.first_picture)},
                {p.points.second, p.second_name, read_text(p.second_picture)}, matched.matching,
                p.points.partner));
  }
  return section;
}

}  // namespace

std::string report_page(const ReportOptions& o, const std::vector<ReportRow>& rows) {
  std::vector<report::Section> sections;
  for (const auto& table : report_tables()) {
    report::Section section;
    section.heading = table.title;
    section.table = printed(table.name, rows, true);
    if (section.table.rows.empty()) continue;
    if (table.name != "voc" && table.name != "protocols") {
      const std::string drawn = chart_of(table.name, x_label(table.name), rows);
      if (!drawn.empty()) section.drawings.push_back(drawn);
    }
    sections.push_back(std::move(section));
  }
  if (!o.networks.empty()) sections.push_back(pictures(o));
  return report::html_page(
      "Graph matching",
      "Section 5.3 of the paper: keypoints of two pictures matched. The rows from here use "
      "descriptions by a VGG19 that was never trained on keypoints; most of the paper's rows "
      "trained theirs further.",
      sections);
}

}  // namespace fgnn::matching
