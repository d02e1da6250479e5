// A parity check over binary variables: log phi(x) = 0 when the sum of x is even (or odd, if so
// chosen), forbidden otherwise. Rank 2: 1/2 ( prod 1 ± prod (-1)^x ).
#pragma once

#include "fgnn/graph/potential.h"

namespace fgnn {

class Parity final : public Potential, public Counting {
 public:
  explicit Parity(bool odd = false) : odd_(odd) {}

  std::string_view kind() const override { return "parity"; }
  std::string misfit(Shape shape) const override;
  double score(std::span<const State> x) const override;
  std::shared_ptr<const LowRank> low_rank(Shape shape) const override;
  ScoreRange range(Shape) const override { return {0, 0}; }
  bool equals(const Potential& other) const override;
  std::size_t bytes() const override { return sizeof(*this); }
  bool write(TextWriter& text) const override;
  Stored stored() const override { return {.counting = this}; }
  std::unique_ptr<Machine> machine(Shape shape, Reduction reduction) const override;
  std::unique_ptr<Oracle> oracle(Left left) const override;

  const Chosen& chosen() const override;
  bool is_chosen(std::size_t, State x) const override { return x == 1; }
  double value(std::size_t count) const override {
    return (count % 2 == 1) == odd_ ? 0.0 : kForbidden;
  }
  std::size_t saturation() const override { return ~std::size_t{0}; }
  bool is_parity() const override { return true; }

  static PotentialKind text();

  bool odd() const { return odd_; }

 private:
  bool odd_;
};

}  // namespace fgnn
