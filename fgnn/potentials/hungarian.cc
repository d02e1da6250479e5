#include "fgnn/potentials/hungarian.h"

#include <algorithm>

namespace fgnn {

AssignmentProblem::AssignmentProblem(std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), cost_(rows * columns, kInfinity) {}

void AssignmentProblem::forbid_all() { std::ranges::fill(cost_, kInfinity); }

bool AssignmentProblem::solve(TimeCheck& time) {
  of_row_.assign(rows_, 0.0);
  of_column_.assign(columns_, 0.0);
  row_of_.assign(columns_, kNone);
  column_of_.assign(rows_, kNone);
  for (std::size_t row = 0; row < rows_; ++row) {
    if (!augment(row, time)) return false;
  }
  return true;
}

// Dijkstra over the columns with reduced costs, from a row without a column to a column without a
// row; then the path is turned over.
bool AssignmentProblem::augment(std::size_t row, TimeCheck& time) {
  distance_.assign(columns_, kInfinity);
  before_.assign(columns_, kNone);  // the column before on the path; none: the row itself
  done_.assign(columns_, 0);
  std::size_t at = kNone, from = row;
  double length = 0;
  while (true) {
    if (time.late(columns_)) return false;
    std::size_t next = kNone;
    for (std::size_t column = 0; column < columns_; ++column) {
      if (done_[column]) continue;
      const double step =
          length + cost_[from * columns_ + column] - of_row_[from] - of_column_[column];
      if (step < distance_[column]) distance_[column] = step, before_[column] = at;
      if (next == kNone || distance_[column] < distance_[next]) next = column;
    }
    if (next == kNone || distance_[next] == kInfinity) return false;
    length = distance_[next];
    at = next;
    if (row_of_[at] == kNone) break;
    done_[at] = 1;
    from = row_of_[at];
  }
  of_row_[row] += length;
  for (std::size_t column = 0; column < columns_; ++column) {
    if (!done_[column]) continue;
    of_row_[row_of_[column]] += length - distance_[column];
    of_column_[column] -= length - distance_[column];
  }
  while (at != kNone) {
    const std::size_t previous = before_[at];
    row_of_[at] = previous == kNone ? row : row_of_[previous];
    column_of_[row_of_[at]] = at;
    at = previous;
  }
  return true;
}

}  // namespace fgnn
