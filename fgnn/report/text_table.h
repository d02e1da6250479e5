// The one table that the program prints: columns aligned, the first to the left, numbers to the
// right, long ones shortened on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fgnn {

// Columns that a text takes on a terminal: one per code point.
std::size_t display_width(std::string_view text);

enum class Align { left, right };

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // At most `most` rows, the middle replaced by a line that says how many are missing; 0: all.
  std::string text(std::size_t most = 0) const;
  // The same rows as a JSON array of objects with the titles as keys.
  std::string json() const;

 private:
  std::vector<std::size_t> widths() const;
  void append_row(std::string& out, const std::vector<std::string>& row,
                  const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Lines of "label  value" under each other, for summaries.
class Summary {
 public:
  // The value as one line, whatever it holds.
  void add(std::string label, const std::string& value);
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

// Rows to print on standard output: all of them when asked or when it is not a terminal.
std::size_t rows_to_show(bool all);

}  // namespace fgnn
