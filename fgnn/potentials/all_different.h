// No two variables of the scope may be in the same state: log phi(x) = 0 or forbidden.
#pragma once

#include "fgnn/graph/potential.h"

namespace fgnn {

class AllDifferent final : public Potential {
 public:
  std::string_view kind() const override { return "all-different"; }
  std::string misfit(Shape) const override { return {}; }
  double score(std::span<const State> x) const override;
  // n variables with d states: one signed term per set of at most n states (Ryser's inclusion and
  // exclusion), 1 + … + binomial(d, n) in all; null above kMaxLowRankTerms.
  std::shared_ptr<const LowRank> low_rank(Shape shape) const override;
  ScoreRange range(Shape) const override { return {0, 0}; }
  bool equals(const Potential& other) const override;
  std::size_t bytes() const override { return sizeof(*this); }
  bool write(TextWriter& text) const override;
  // Both over sets of states: null above kMostStates, but for messages of maxima, which are
  // assignment problems there.
  std::unique_ptr<MessageKernel> messages(Shape shape, Reduction reduction,
                                          double temperature) const override;
  std::unique_ptr<Machine> machine(Shape shape, Reduction reduction) const override;
  std::unique_ptr<Oracle> oracle(Left left) const override;  // an assignment problem
  void narrow(ScopeStates& scope) const override;

  static PotentialKind text();

  static constexpr State kMostStates = 12;
  static constexpr std::size_t kMaxLowRankTerms = 4096;
};

}  // namespace fgnn
