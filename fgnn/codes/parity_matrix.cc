#include "fgnn/codes/parity_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/graph/statistics.h"
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

[[noreturn]] void refuse(const std::string& subject, const std::string& why) {
  throw Error(ErrorCode::unsupported, subject, why,
              "an alist file holds even parity checks over bits and nothing else");
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
  std::vector<std::vector<std::uint32_t>> rows;
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
