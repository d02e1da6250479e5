// A function of how many variables are in a chosen state:
//   log phi(x) = f( #{ j : x_j is chosen } ).
// Budgets (at most k), cardinalities (exactly k), exactly-one, or, and any other table over the
// count; never expanded to the joint table. Fits scopes of any length and any numbers of states.
#pragma once

#include <vector>

#include "fgnn/graph/potential.h"

namespace fgnn {

class Count final : public Potential, public Counting {
 public:
  // values[k] is the log-potential of count k; counts beyond the last listed one get `beyond`.
  // `chosen` defaults to state 1 at every position. Throws Error(model) on NaN or +inf.
  explicit Count(std::vector<double> values, double beyond = kForbidden, Chosen chosen = {{1}});

  static Count at_most(std::size_t k, Chosen chosen = {{1}});
  static Count at_least(std::size_t k, Chosen chosen = {{1}});
  static Count exactly(std::size_t k, Chosen chosen = {{1}});
  static Count exactly_one(Chosen chosen = {{1}}) { return exactly(1, std::move(chosen)); }

  std::string_view kind() const override { return "count"; }
  std::string misfit(Shape shape) const override;
  double score(std::span<const State> x) const override;
  void fill(Shape shape, std::span<double> out) const override;
  bool fills_fast() const override { return true; }
  // Rank n + 1 on n variables, by interpolation in the basis cos^(n-k) sin^k; null above
  // kMaxLowRankArity and kWidestSignedTerms, where the terms cancel beyond the precision of a
  // double.
  std::shared_ptr<const LowRank> low_rank(Shape shape) const override;
  ScoreRange range(Shape shape) const override;
  bool equals(const Potential& other) const override;
  std::size_t bytes() const override;
  bool write(TextWriter& text) const override;
  Stored stored() const override { return {.counting = this}; }
  std::unique_ptr<Machine> machine(Shape shape, Reduction reduction) const override;
  std::unique_ptr<Oracle> oracle(Left left) const override;
  void narrow(ScopeStates& scope) const override;

  static PotentialKind text();

  static constexpr std::size_t kMaxLowRankArity = 25;

  const std::vector<double>& values() const { return values_; }
  double beyond() const { return beyond_; }
  const Chosen& chosen() const override { return chosen_; }
  double value(std::size_t count) const override {
    return count < values_.size() ? values_[count] : beyond_;
  }
  bool is_chosen(std::size_t position, State x) const override;
  std::size_t saturation() const override;

 private:
  std::vector<double> values_;
  double beyond_;
  Chosen chosen_;
};

}  // namespace fgnn
