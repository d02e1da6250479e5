// A dense table of log-potentials: log phi(x) = values[index(x)], the last variable fastest.
#pragma once

#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/graph/potential.h"

namespace fgnn {

// Largest table that is ever made implicitly (128 MiB of doubles); larger ones must be asked for.
inline constexpr std::uint64_t kMaxTableEntries = std::uint64_t{1} << 24;

class Table final : public Potential {
 public:
  // Throws Error(model) when the number of values is not the product of the shape, or a value is
  // NaN or plus infinity.
  Table(std::vector<State> shape, std::vector<double> log_values);

  std::string_view kind() const override { return "table"; }
  std::string misfit(Shape shape) const override;
  double score(std::span<const State> x) const override { return values_[index(x)]; }
  void fill(Shape shape, std::span<double> out) const override;
  bool fills_fast() const override { return true; }
  // Rank = entries / (states of the largest variable): one term per row along that variable. Null
  // above kWidestTerms.
  std::shared_ptr<const LowRank> low_rank(Shape shape) const override;
  ScoreRange range(Shape shape) const override;
  bool equals(const Potential& other) const override;
  std::size_t bytes() const override;
  bool write(TextWriter& text) const override;
  Stored stored() const override { return {.table = &values_}; }

  static PotentialKind text();

  const std::vector<State>& shape() const { return shape_; }
  const std::vector<double>& values() const { return values_; }
  std::size_t index(std::span<const State> x) const;

 private:
  std::vector<State> shape_;
  std::vector<double> values_;
};

// The potential as a table. Throws Error(too_large) above `most` entries.
Table expand(const Potential& potential, Shape shape, std::uint64_t most = kMaxTableEntries);
// The same for a factor of a graph; errors name the factor.
Table expand(const FactorGraph& graph, FactorId c, std::uint64_t most = kMaxTableEntries);

}  // namespace fgnn
