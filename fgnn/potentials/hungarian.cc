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
      const double step = length + reduced(from, column);
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

// Reduced costs r are at least 0, and are 0 on the assignment. A row that takes another's column
// makes that one look for a column in turn, and so on, until one takes the column that the first
// row left, or one that nobody has. In the second case others may move up into the column that was
// left, until some column stays over. The sum of weights falls by the r on the way, and by minus
// the potential of the column that stays over (potentials are 0 where nobody is, and not above 0
// elsewhere).
void AssignmentProblem::best_of_others(double* others, double* scratch) const {
  double* to_row = scratch;  // shortest ways from row to row, the latter's column taken
  double* to_free = scratch + rows_ * rows_;  // from a row to a column that nobody has
  double best = 0;                            // minus the weight of the assignment
  for (std::size_t i = 0; i < rows_; ++i) {
    best += cost_[i * columns_ + column_of_[i]];
    to_free[i] = kInfinity;
    for (std::size_t j = 0; j < rows_; ++j) to_row[i * rows_ + j] = reduced(i, column_of_[j]);
    for (std::size_t c = 0; c < columns_; ++c) {
      if (row_of_[c] == kNone) to_free[i] = std::min(to_free[i], reduced(i, c));
    }
  }
  for (std::size_t k = 0; k < rows_; ++k) {
    for (std::size_t i = 0; i < rows_; ++i) {
      const double first = to_row[i * rows_ + k];
      if (first == kInfinity) continue;
      to_free[i] = std::min(to_free[i], first + to_free[k]);
      for (std::size_t j = 0; j < rows_; ++j) {
        to_row[i * rows_ + j] = std::min(to_row[i * rows_ + j], first + to_row[k * rows_ + j]);
      }
    }
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    double left_over = kInfinity;  // what it costs at least that the column of i is not needed
    for (std::size_t k = 0; k < rows_; ++k) {
      const double way = k == i ? 0 : to_row[k * rows_ + i];
      left_over = std::min(left_over, way - of_column_[column_of_[k]]);
    }
    for (std::size_t c = 0; c < columns_; ++c) {
      const std::size_t owner = row_of_[c];
      double loss = owner == i ? 0 : left_over;
      if (owner != i && owner != kNone) {
        loss = std::min(to_row[owner * rows_ + i], to_free[owner] + left_over);
      }
      others[i * columns_ + c] = of_row_[i] + of_column_[c] - best - loss;
    }
  }
}

}  // namespace fgnn
