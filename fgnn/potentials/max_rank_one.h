// The factor of the paper's Lemma 1: a maximum of Z rank-1 terms in the log domain,
//   log phi(x_1 … x_n) = max_z sum_j w_j^z(x_j).
// Max-product messages cost n * Z * d; see fgnn/decompose/max_rank_one.h for how to get one.
#pragma once

#include <vector>

#include "fgnn/graph/potential.h"

namespace fgnn {

class MaxRankOne final : public Potential {
 public:
  // terms[z] lists the log-weights of variable 0's states, then variable 1's, …. Throws
  // Error(model) on sizes that do not match and on NaN or plus infinity. No term: all forbidden.
  MaxRankOne(std::vector<State> shape, std::vector<std::vector<double>> terms);

  std::string_view kind() const override { return "max-rank-1"; }
  std::string misfit(Shape shape) const override;
  double score(std::span<const State> x) const override;
  ScoreRange range(Shape shape) const override;
  bool equals(const Potential& other) const override;
  std::size_t bytes() const override;
  bool write(TextWriter& text) const override;
  Stored stored() const override { return {.maximum = this}; }
  std::shared_ptr<const MaxRankOne> max_rank_one(Shape shape) const override;
  std::unique_ptr<Machine> machine(Shape shape, Reduction reduction) const override;
  std::unique_ptr<Oracle> oracle(Left left) const override;

  static PotentialKind text();

  const std::vector<State>& shape() const { return shape_; }
  std::size_t size() const { return terms_.size(); }
  std::span<const double> term(std::size_t z) const { return terms_[z]; }

 private:
  std::vector<State> shape_;
  std::vector<std::vector<double>> terms_;
};

}  // namespace fgnn
