// The assignment problem: every row gets a column of its own so that the sum of the weights is
// largest. Shortest augmenting paths with potentials (the Hungarian method; Jonker, Volgenant
// 1987), rows^2 * columns operations.
#pragma once

#include <cstddef>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/core/types.h"

namespace fgnn {

class AssignmentProblem {
 public:
  AssignmentProblem(std::size_t rows, std::size_t columns);

  void forbid_all();
  void set(std::size_t row, std::size_t column, double weight) {
    cost_[row * columns_ + column] = -weight;
  }
  // False when the forbidden weights leave no assignment, or when time is over.
  bool solve(TimeCheck& time);
  State column_of(std::size_t row) const { return static_cast<State>(column_of_[row]); }
  // After solve(): others[row * columns + column] is the largest sum of all other rows' weights
  // when `row` has `column`, whatever the weight of these two. Minus infinity where forbidden
  // weights leave the others nothing. `scratch` has room for rows * (rows + 1) numbers. rows^2 *
  // columns.
  void best_of_others(double* others, double* scratch) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool augment(std::size_t row, TimeCheck& time);
  double reduced(std::size_t row, std::size_t column) const {
    return cost_[row * columns_ + column] - of_row_[row] - of_column_[column];
  }

  std::size_t rows_, columns_;
  std::vector<double> cost_;                // rows x columns, infinite where forbidden
  std::vector<double> of_row_, of_column_;  // potentials
  std::vector<double> distance_;
  std::vector<std::size_t> row_of_, column_of_, before_;
  std::vector<char> done_;
};

}  // namespace fgnn
