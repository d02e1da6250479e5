// The paper's factor: a sum of R rank-1 terms with signed weights,
//   phi(x_1 … x_n) = exp(scale) * sum_r lambda_r prod_j w_j^r(x_j).
// n * R * d numbers instead of d^n. W_j is the matrix (states of j) x R of the paper's
// m_{c->i} = W_i [ prod_{j != i} W_j^T m_j ]; lambda is kept apart.
#pragma once

#include <memory>
#include <vector>

#include "fgnn/graph/potential.h"

namespace fgnn {

// How far apart the logarithms of a potential's values may be for an exact sum of rank-1 terms:
// beyond the first a double vanishes beside the largest value; beyond the second a value that is
// left over when signed terms cancel has lost half of its digits.
inline constexpr double kWidestTerms = 700, kWidestSignedTerms = 16;

class LowRank final : public Potential {
 public:
  // weights[j] is W_j, row-major: weights[j][state * R + r]. `log_scale` multiplies everything by
  // exp(log_scale), so that potentials far from 1 neither overflow nor vanish. Throws Error(model)
  // on sizes that do not match and on numbers that are not finite.
  LowRank(std::vector<State> shape, std::vector<double> lambda,
          std::vector<std::vector<double>> weights, double log_scale = 0);

  // The same from terms: terms[r] lists the weights of variable 0's states, then variable 1's, ….
  static std::shared_ptr<const LowRank> from_terms(std::vector<State> shape,
                                                   std::vector<double> lambda,
                                                   const std::vector<std::vector<double>>& terms,
                                                   double log_scale = 0);

  std::string_view kind() const override { return "low-rank"; }
  std::string misfit(Shape shape) const override;
  // Sums that vanish to within rounding are forbidden states. A sum that is truly negative is not
  // a potential: throws Error(model).
  double score(std::span<const State> x) const override;
  std::shared_ptr<const LowRank> low_rank(Shape shape) const override;
  ScoreRange range(Shape shape) const override;
  bool equals(const Potential& other) const override;
  std::size_t bytes() const override;
  bool write(TextWriter& text) const override;
  Stored stored() const override { return {.sum = this}; }
  // Of sums without negative terms.
  std::unique_ptr<Machine> machine(Shape shape, Reduction reduction) const override;

  static PotentialKind text();

  const std::vector<State>& shape() const { return shape_; }
  std::size_t rank() const { return lambda_.size(); }
  const std::vector<double>& lambda() const { return lambda_; }
  double log_scale() const { return log_scale_; }
  // W_j, row-major, states x R.
  std::span<const double> weights(std::size_t j) const { return weights_[j]; }
  double weight(std::size_t j, State x, std::size_t r) const { return weights_[j][x * rank() + r]; }
  // No negative lambda or weight: the terms are potentials themselves.
  bool non_negative() const;

 private:
  std::vector<State> shape_;
  std::vector<double> lambda_;
  std::vector<std::vector<double>> weights_;
  double log_scale_;
};

}  // namespace fgnn
