#include "fgnn/experiments/molecules/target_table.h"

#include <fmt/format.h>

#include <array>

#include "fgnn/core/parse.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/experiments/molecules/text_lines.h"

namespace fgnn::molecules {
namespace {

// A line's fields; a field in quotes may have commas and line ends within.
std::vector<std::string> fields_of(TextLines& lines) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  do {
    for (const char c : lines.next("a row")) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (quoted && lines.at_end()) lines.fail("a quote is not closed");
    if (quoted) fields.back() += ' ';
  } while (quoted);
  return fields;
}

// Its name without a unit, in small letters: "mu (D)" is "mu".
std::string plain(const std::string& title) {
  std::string name;
  for (const char c : trimmed(title)) {
    if (c == ' ' || c == '(' || c == '[') break;
    name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return name;
}

struct Columns {
  std::size_t id = 0;
  std::array<std::size_t, kTargets> target{};
};

Columns columns_of(const TextLines& lines, const std::vector<std::string>& titles) {
  static const std::vector<std::vector<std::string>> known{
      {"mu"},   {"alpha"}, {"homo"},      {"lumo"},      {"gap"},       {"r2"},
      {"zpve"}, {"u0"},    {"u", "u298"}, {"h", "h298"}, {"g", "g298"}, {"cv"}};
  std::map<std::string, std::size_t> place;
  for (std::size_t k = 0; k < titles.size(); ++k) place.try_emplace(plain(titles[k]), k);
  const auto find = [&](std::vector<std::string> names) {
    for (const auto& name : names) {
      if (const auto found = place.find(name); found != place.end()) return found->second;
    }
    lines.fail(fmt::format("there is no column '{}'", names[0]),
               "QM9's and Alchemy's headings are known");
  };
  Columns columns;
  columns.id = find({"mol_id", "gdb_idx", "id"});
  for (std::size_t t = 0; t < kTargets; ++t) {
    auto names = known[t];
    names.push_back(fmt::format("property_{}", t));
    columns.target[t] = find(names);
  }
  return columns;
}

}  // namespace

TargetTable parse_target_table(std::string_view text, const std::string& file) {
  TextLines lines(text, file);
  lines.skip_blank();
  const auto titles = fields_of(lines);
  const Columns columns = columns_of(lines, titles);
  TargetTable table;
  for (lines.skip_blank(); !lines.at_end(); lines.skip_blank()) {
    const auto fields = fields_of(lines);
    if (fields.size() != titles.size()) {
      lines.fail(
          fmt::format("has {} fields where the heading has {}", fields.size(), titles.size()));
    }
    std::string_view id = trimmed(fields[columns.id]);
    if (id.starts_with("gdb_")) id.remove_prefix(4);
    if (!table.row_of.try_emplace(std::string(id), table.rows.size()).second) {
      lines.fail(fmt::format("molecule {} comes twice", in_quotes(id)));
    }
    table.ids.emplace_back(id);
    auto& row = table.rows.emplace_back();
    for (const std::size_t c : columns.target) {
      double value = 0;
      if (!read_number(trimmed(fields[c]), value)) {
        lines.fail(fmt::format("{} is not a number", in_quotes(fields[c])));
      }
      row.push_back(value);
    }
  }
  return table;
}

}  // namespace fgnn::molecules
