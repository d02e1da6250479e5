#include "fgnn/io/alist.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/text_writer.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/io/linear_values.h"
#include "fgnn/io/reader_tools.h"
#include "fgnn/potentials/parity.h"

namespace fgnn {

namespace {

std::vector<std::size_t> starts_of(std::span<const std::vector<std::uint32_t>> rows) {
  std::vector<std::size_t> starts{0};
  starts.reserve(rows.size() + 1);
  for (const auto& row : rows) starts.push_back(starts.back() + row.size());
  return starts;
}

std::vector<std::uint32_t> ones_of(std::span<const std::vector<std::uint32_t>> rows) {
  std::vector<std::uint32_t> ones;
  for (const auto& row : rows) ones.insert(ones.end(), row.begin(), row.end());
  return ones;
}

}  // namespace

SparseParityMatrix::SparseParityMatrix(std::uint32_t columns,
                                       std::span<const std::vector<std::uint32_t>> rows)
    : SparseParityMatrix(columns, starts_of(rows), ones_of(rows)) {}

SparseParityMatrix::SparseParityMatrix(std::uint32_t columns, std::vector<std::size_t> starts,
                                       std::vector<std::uint32_t> ones)
    : row_(std::move(starts)), column_(std::size_t{columns} + 1, 0), row_columns_(std::move(ones)) {
  for (std::uint32_t r = 0; r < num_rows(); ++r) {
    const auto row = std::span(row_columns_).subspan(row_[r], row_[r + 1] - row_[r]);
    std::ranges::sort(row);
    const auto twice = std::ranges::adjacent_find(row);
    if (twice != row.end()) {
      throw Error(ErrorCode::model, fmt::format("row {}", r),
                  fmt::format("lists column {} twice", *twice));
    }
    if (!row.empty() && row.back() >= columns) {
      throw Error(ErrorCode::model, fmt::format("row {}", r),
                  fmt::format("lists column {}, there are {}", row.back(), columns));
    }
  }
  for (std::uint32_t c : row_columns_) ++column_[c + 1];
  for (std::size_t c = 0; c < columns; ++c) column_[c + 1] += column_[c];
  column_rows_.resize(row_columns_.size());
  std::vector<std::size_t> next(column_.begin(), column_.end() - 1);
  for (std::uint32_t r = 0; r < num_rows(); ++r) {
    for (std::uint32_t c : row(r)) column_rows_[next[c]++] = r;
  }
}

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

[[noreturn]] void refuse(const std::string& subject, const std::string& why) {
  throw Error(ErrorCode::unsupported, subject, why,
              "an alist file holds even parity checks over bits and nothing else");
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

FactorGraph parity_graph(const SparseParityMatrix& matrix) {
  GraphBuilder builder;
  builder.reserve(matrix.num_columns(), matrix.num_rows(), matrix.num_ones());
  builder.variables("x", matrix.num_columns(), 2);
  const PotentialId even = builder.potential(Parity());
  for (std::uint32_t r = 0; r < matrix.num_rows(); ++r) {
    if (!matrix.row(r).empty()) builder.factor(matrix.row(r), even);
  }
  return std::move(builder).build();
}

SparseParityMatrix parity_matrix(const FactorGraph& graph) {
  if (graph.constant() != 0) refuse("constant", fmt::format("is {}", graph.constant()));
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    if (graph.states(v) != 2) refuse(graph.name(v), fmt::format("has {} states", graph.states(v)));
    if (has_unary(graph, v)) refuse(graph.name(v), "has a unary potential");
  }
  Lists rows;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const Counting* parity = graph.potential(c).stored().counting;
    if (parity == nullptr || !parity->is_parity()) {
      refuse(graph.describe(c), fmt::format("is of kind {}", graph.potential(c).kind()));
    }
    if (parity->value(0) == kForbidden) refuse(graph.describe(c), "is an odd parity check");
    rows.emplace_back(graph.scope(c).begin(), graph.scope(c).end());
  }
  return {static_cast<std::uint32_t>(graph.num_variables()), rows};
}

}  // namespace fgnn
