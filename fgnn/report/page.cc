#include "fgnn/report/page.h"

#include <fmt/format.h>

namespace fgnn::report {
namespace {

constexpr const char* kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; display: block;
        overflow-x: auto }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid #ddd; text-align: right;
         font-variant-numeric: tabular-nums }
th { border-bottom: 2px solid #888 }
.left { text-align: left }
svg { max-width: 100%; height: auto }
)";

std::string cell(const char* tag, const std::string& text, bool left) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, left ? " class=\"left\"" : "", escaped(text));
}

std::string row(const char* tag, const std::vector<std::string>& cells, std::size_t left) {
  std::string html = "<tr>";
  for (std::size_t j = 0; j < cells.size(); ++j) html += cell(tag, cells[j], j < left);
  return html + "</tr>\n";
}

std::string table_html(const HtmlTable& table) {
  if (table.rows.empty()) return {};
  std::string html =
      "<table>\n<thead>" + row("th", table.titles, table.left) + "</thead>\n<tbody>\n";
  for (const auto& cells : table.rows) html += row("td", cells, table.left);
  return html + "</tbody></table>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '&':
        html += "&amp;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string html_page(const std::string& title, const std::string& introduction,
                      const std::vector<Section>& sections) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n"
      "<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n<p>{2}</p>\n",
      escaped(title), kStyle, escaped(introduction));
  for (const Section& section : sections) {
    html += fmt::format("<h2>{}</h2>\n", escaped(section.heading));
    if (!section.text.empty()) html += fmt::format("<p>{}</p>\n", escaped(section.text));
    for (const std::string& drawing : section.drawings) html += drawing + "\n";
    html += table_html(section.table);
  }
  return html + "</body></html>\n";
}

}  // namespace fgnn::report
