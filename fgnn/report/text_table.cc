#include "fgnn/report/text_table.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fgnn/core/printable.h"

namespace fgnn {
namespace {

constexpr std::size_t kRowsOnTerminal = 40;  // a screen
constexpr std::size_t kGap = 2;

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string space(width - display_width(text), ' ');
  return align == Align::left ? text + space : space + text;
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  // Continuation bytes of UTF-8 take no room.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    std::size_t width = display_width(columns_[j].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[j]));
    widths.push_back(width);
  }
  return widths;
}

void TextTable::append_row(std::string& out, const std::vector<std::string>& row,
                           const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (j) line.append(kGap, ' ');
    line += padded(row[j], widths[j], columns_[j].align);
  }
  out += without_trailing_space(std::move(line)) + '\n';
}

std::string TextTable::text(std::size_t most) const {
  const std::vector<std::size_t> width = widths();
  std::vector<std::string> titles, rules;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    titles.push_back(columns_[j].title);
    std::string& rule = rules.emplace_back();
    for (std::size_t i = 0; i < width[j]; ++i) rule += "─";
  }
  std::string out;
  append_row(out, titles, width);
  append_row(out, rules, width);
  const bool shorten = most > 0 && rows_.size() > most;
  const std::size_t head = shorten ? most - most / 4 : rows_.size();
  const std::size_t tail = shorten ? most / 4 : 0;
  for (std::size_t i = 0; i < head; ++i) append_row(out, rows_[i], width);
  if (shorten) out += fmt::format("… {} more, --all shows them\n", rows_.size() - head - tail);
  for (std::size_t i = rows_.size() - tail; i < rows_.size(); ++i) append_row(out, rows_[i], width);
  return out;
}

std::string TextTable::json() const {
  auto array = nlohmann::ordered_json::array();
  for (const auto& row : rows_) {
    auto& object = array.emplace_back(nlohmann::ordered_json::object());
    for (std::size_t j = 0; j < row.size(); ++j) object[columns_[j].title] = row[j];
  }
  return array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

void Summary::add(std::string label, const std::string& value) {
  lines_.emplace_back(std::move(label), printable(value));  // values come from files
}

std::string Summary::text() const {
  std::size_t width = 0;
  for (const auto& [label, value] : lines_) width = std::max(width, display_width(label));
  std::string out;
  for (const auto& [label, value] : lines_) {
    out += without_trailing_space(padded(label, width + kGap, Align::left) + value) + '\n';
  }
  return out;
}

std::size_t rows_to_show(bool all) { return all || !isatty(STDOUT_FILENO) ? 0 : kRowsOnTerminal; }

}  // namespace fgnn
