// Listed joint states with their log-potentials, and one default for all others:
//   log phi(x) = value of the row equal to x, or `otherwise`.
// Storage and scoring depend on the number of rows, not on the size of the table.
#pragma once

#include <vector>

#include "fgnn/graph/potential.h"

namespace fgnn {

class Sparse final : public Potential {
 public:
  // `rows` holds the listed joint states one after another, `log_values` one value per row. Throws
  // Error(model) on a state out of range, a repeated row, or a value that is NaN or +inf.
  Sparse(std::vector<State> shape, double otherwise, std::vector<State> rows,
         std::vector<double> log_values);

  std::string_view kind() const override { return "sparse"; }
  std::string misfit(Shape shape) const override;
  double score(std::span<const State> x) const override;
  void fill(Shape shape, std::span<double> out) const override;
  bool fills_fast() const override { return true; }
  // Rank = number of rows, plus one unless all other states are forbidden. Null above kWidestTerms,
  // and above kWidestSignedTerms where rows lie below the others.
  std::shared_ptr<const LowRank> low_rank(Shape shape) const override;
  ScoreRange range(Shape shape) const override;
  bool equals(const Potential& other) const override;
  std::size_t bytes() const override;
  bool write(TextWriter& text) const override;
  Stored stored() const override { return {.listed = this}; }
  // These two row by row; null unless all other states are forbidden.
  std::unique_ptr<MessageKernel> messages(Shape shape, Reduction reduction,
                                          double temperature) const override;
  std::unique_ptr<Machine> machine(Shape shape, Reduction reduction) const override;
  std::unique_ptr<Oracle> oracle(Left left) const override;

  static PotentialKind text();

  const std::vector<State>& shape() const { return shape_; }
  double otherwise() const { return otherwise_; }
  std::size_t size() const { return values_.size(); }
  std::span<const State> row(std::size_t i) const {
    return std::span(rows_).subspan(i * shape_.size(), shape_.size());
  }
  double value(std::size_t i) const { return values_[i]; }

 private:
  std::vector<State> shape_;
  double otherwise_;
  std::vector<State> rows_;  // sorted
  std::vector<double> values_;
};

}  // namespace fgnn
