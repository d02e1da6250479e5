#include "fgnn/experiments/synthetic/square.h"

#include <algorithm>
#include <utility>

namespace fgnn::synthetic {
namespace {

// Bit 2 exchanges rows and columns; bits 1 and 0 mirror them.
std::vector<VariableId> places(std::size_t side, int symmetry) {
  std::vector<VariableId> to(side * side);
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::size_t row = i / side, column = i % side;
    if (symmetry & 4) std::swap(row, column);
    if (symmetry & 2) row = side - 1 - row;
    if (symmetry & 1) column = side - 1 - column;
    to[i] = static_cast<VariableId>(row * side + column);
  }
  return to;
}

template <class Row>
void move_rows(std::vector<Row>& rows, const std::vector<VariableId>& to) {
  std::vector<Row> moved(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) moved[to[i]] = rows[i];
  rows = std::move(moved);
}

}  // namespace

void turn(SyntheticInstance& grid, std::vector<State>& labels, std::size_t side, int symmetry) {
  if (symmetry == 0) return;
  const auto to = places(side, symmetry);
  move_rows(grid.unary, to);
  move_rows(labels, to);
  for (auto& pair : grid.pairs) {
    pair.first = to[pair.first];
    pair.second = to[pair.second];
    if (pair.first > pair.second) {
      std::swap(pair.first, pair.second);
      std::swap(pair.values[1], pair.values[2]);
    }
  }
  for (auto& budget : grid.budgets) {
    for (VariableId& v : budget.scope) v = to[v];
    std::ranges::sort(budget.scope);  // row by row again
  }
  std::ranges::sort(grid.pairs, {}, [](const auto& p) { return std::pair(p.first, p.second); });
  std::ranges::sort(grid.budgets, {}, [](const auto& b) { return b.scope.front(); });
}

}  // namespace fgnn::synthetic
