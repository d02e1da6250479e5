// Labels that should agree: the robust P^n Potts model (Kohli, Ladicky, Torr 2009),
//   log phi(x) = max( otherwise, max_l best_l - slope_l * #{ j : x_j != l } ),
// on any number of variables. All variables in state l score best_l, every one that differs costs
// slope_l, and no more than down to `otherwise` is ever paid. An infinite slope leaves "all equal
// or pay" (P^n Potts). With Kohli's costs: best_l = -gamma_l, otherwise = -gamma_max.
//
// On n variables of d states, with Q the most variables that may differ before `otherwise` is
// cheaper (1 for all-equal): max-product, MPLP and AD3 take n d steps, sum-product n d Q.
#pragma once

#include <vector>

#include "fgnn/graph/potential.h"

namespace fgnn {

class RobustPotts final : public Potential {
 public:
  struct Label {
    double best = 0;
    double slope = kInfinity;
    bool operator==(const Label&) const = default;
  };

  // One entry for all labels, or one per label. Throws Error(model) on NaN, on a best or otherwise
  // of plus infinity, and on a negative slope.
  RobustPotts(double otherwise, std::vector<Label> labels);

  // 0 when all are equal.
  static RobustPotts all_equal(double otherwise);

  std::string_view kind() const override { return "robust-potts"; }
  std::string misfit(Shape shape) const override;
  double score(std::span<const State> x) const override;
  ScoreRange range(Shape shape) const override;
  bool equals(const Potential& other) const override;
  std::size_t bytes() const override;
  bool write(TextWriter& text) const override;

  // Of rank d + 1 when all slopes cut off at the first variable; otherwise d (n + 1) + 1 where a
  // count of n variables has such a form. Null where two labels can score at once.
  std::shared_ptr<const LowRank> low_rank(Shape shape) const override;
  std::shared_ptr<const MaxRankOne> max_rank_one(Shape shape) const override;  // d + 1 terms
  // For sums null where two labels can score at once.
  std::unique_ptr<MessageKernel> messages(Shape shape, Reduction reduction,
                                          double temperature) const override;
  // The label is the mode and the variables that differ are counted. Null for the k best.
  std::unique_ptr<Machine> machine(Shape shape, Reduction reduction) const override;
  std::unique_ptr<Oracle> oracle(Left left) const override;
  void narrow(ScopeStates& scope) const override;

  static PotentialKind text();

  double otherwise() const { return otherwise_; }
  const std::vector<Label>& labels() const { return labels_; }
  const Label& label(State l) const { return labels_[labels_.size() == 1 ? 0 : l]; }
  // Of label l when so many variables differ from it, whatever `otherwise` is.
  double value(State l, std::size_t different) const;
  // How many labels there are on a scope.
  State label_count(Shape shape) const;
  // The first number of different variables, at most n + 1, that label l scores no better at.
  std::size_t reach(State l, std::size_t n) const;
  // No joint state has two labels that score better than otherwise, so that
  //   phi(x) = exp(otherwise) + sum_l ( exp(value(l, different from l)) - exp(otherwise) )_+.
  bool separated(Shape shape) const;
  // The logarithm of the sum's part for label l.
  double part(State l, std::size_t different) const;

 private:
  double otherwise_;
  std::vector<Label> labels_;
};

}  // namespace fgnn
