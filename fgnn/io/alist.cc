#include "fgnn/io/alist.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/text_writer.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/io/reader_tools.h"

namespace fgnn {

namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

// Bytes of a row or column and of a one in it: the lists as they are read, and the matrix.
constexpr std::uint64_t kPerList = 64, kPerOne = 2 * sizeof(std::uint32_t);

class AlistReader {
 public:
  AlistReader(std::istream& in, const std::string& file, const ReadLimits& limits)
      : tokens_(in, file, Comments::hash), budget_(tokens_, limits) {}

  SparseParityMatrix read() {
    const std::uint32_t columns = tokens_.integer32("a number of columns");
    const std::uint32_t rows = tokens_.integer32("a number of rows");
    const std::uint32_t most_rows = tokens_.integer32("the biggest weight of a column", 0, rows);
    const std::uint32_t most_columns = tokens_.integer32("the biggest weight of a row", 0, columns);
    const auto column_weights = read_weights(columns, "the weight of a column", most_rows);
    const std::uint64_t ones = total_;
    const auto row_weights = read_weights(rows, "the weight of a row", most_columns);
    if (total_ != ones) {
      tokens_.fail(fmt::format("the rows have {} ones, the columns {}", total_, ones));
    }
    columns_ = read_lists(column_weights, "row", rows, most_rows, nullptr);
    for (auto& column : columns_) std::ranges::sort(column);
    const Lists by_row = read_lists(row_weights, "column", columns, most_columns, &columns_);
    tokens_.expect_end("the last row");
    return {columns, by_row};
  }

 private:
  std::vector<std::uint32_t> read_weights(std::uint32_t count, const char* what,
                                          std::uint32_t most) {
    std::vector<std::uint32_t> weights;
    total_ = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      weights.push_back(tokens_.integer32(what, 0, most));
      budget_.hold(1, kPerList);
      budget_.hold(weights.back(), kPerOne);
      total_ += weights.back();
    }
    return weights;
  }

  // Lists of the numbers 1 … `high`, returned from 0, each followed by zeros up to `most` or by
  // none. With `other` (the transposed lists, sorted) each entry must be there as well.
  Lists read_lists(const std::vector<std::uint32_t>& weights, const std::string& noun,
                   std::uint32_t high, std::uint32_t most, const Lists* other) {
    const std::string what = "a " + noun;
    Lists lists;
    RepeatFinder repeats;
    for (std::uint32_t weight : weights) {
      const auto owner = static_cast<std::uint32_t>(lists.size());
      auto& list = lists.emplace_back();
      repeats.start_list();
      for (std::uint32_t i = 0; i < weight; ++i) {
        const std::uint32_t entry = tokens_.integer32(what, 1, high) - 1;
        if (!repeats.first_time(entry)) {
          tokens_.fail(fmt::format("{} {} is listed twice", noun, entry + 1));
        }
        if (other != nullptr && !std::ranges::binary_search((*other)[entry], owner)) {
          tokens_.fail(fmt::format("row {} lists column {}, which does not list the row", owner + 1,
                                   entry + 1));
        }
        list.push_back(entry);
      }
      for (std::uint32_t i = weight; i < most && tokens_.take_if("0"); ++i) {
      }
    }
    return lists;
  }

  TokenReader tokens_;
  ReadBudget budget_;
  Lists columns_;
  std::uint64_t total_ = 0;
};

template <class List>
void write_lists(TextWriter& text, std::uint32_t count, std::uint32_t most, bool padded,
                 const List& list) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::span<const std::uint32_t> entries = list(i);
    for (std::size_t k = 0; k < entries.size(); ++k) text.put(k ? " " : "", entries[k] + 1);
    for (std::size_t k = entries.size(); padded && k < most; ++k) text.put(k ? " 0" : "0");
    text.put('\n');
  }
}

template <class List>
std::uint32_t biggest(std::uint32_t count, const List& list) {
  std::size_t most = 0;
  for (std::uint32_t i = 0; i < count; ++i) most = std::max(most, list(i).size());
  return static_cast<std::uint32_t>(most);
}

template <class List>
void write_weights(TextWriter& text, std::uint32_t count, const List& list) {
  for (std::uint32_t i = 0; i < count; ++i) text.put(i ? " " : "", list(i).size());
  text.put('\n');
}

}  // namespace

SparseParityMatrix read_alist(std::istream& in, const std::string& file, const ReadLimits& limits) {
  return AlistReader(in, file, limits).read();
}

void write_alist(std::ostream& out, const SparseParityMatrix& matrix, bool padded) {
  const auto column = [&](std::uint32_t c) { return matrix.column(c); };
  const auto row = [&](std::uint32_t r) { return matrix.row(r); };
  const std::uint32_t columns = matrix.num_columns(), rows = matrix.num_rows();
  const std::uint32_t most_rows = biggest(columns, column), most_columns = biggest(rows, row);
  TextWriter text(out);
  text.put(columns, ' ', rows, '\n', most_rows, ' ', most_columns, '\n');
  write_weights(text, columns, column);
  write_weights(text, rows, row);
  write_lists(text, columns, most_rows, padded, column);
  write_lists(text, rows, most_columns, padded, row);
  text.flush();
}

}  // namespace fgnn
