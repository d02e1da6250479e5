#include "bench/grids.h"

#include <algorithm>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/table.h"

namespace fgnn::bench {
namespace {

std::vector<double> random_numbers(Rng& rng, std::size_t count, double low, double high) {
  std::vector<double> values(count);
  for (double& value : values) value = rng.uniform(low, high);
  return values;
}

VariableArray random_variables(GraphBuilder& builder, Rng& rng, std::size_t count, State states) {
  const VariableArray x = builder.variables("x", count, states);
  for (VariableId v : x) builder.unary(v, random_numbers(rng, states, -1, 1));
  return x;
}

Table random_table(Rng& rng, std::vector<State> shape) {
  const std::size_t entries = configurations(shape);
  return {std::move(shape), random_numbers(rng, entries, -1, 1)};
}

}  // namespace

FactorGraph table_grid(std::size_t side, State states, std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder;
  builder.reserve(side * side, 2 * side * side, 4 * side * side);
  const VariableArray x = random_variables(builder, rng, side * side, states);
  const auto join = [&](std::size_t i, std::size_t j) {
    builder.factor({x[i], x[j]}, random_table(rng, {states, states}));
  };
  for (std::size_t i = 0; i < side * side; ++i) {
    if ((i + 1) % side != 0) join(i, i + 1);
    if (i + side < side * side) join(i, i + side);
  }
  return std::move(builder).build();
}

FactorGraph scattered_tables(std::size_t variables, std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder;
  const VariableArray x = random_variables(builder, rng, variables, 2);
  for (std::size_t c = 0; c < variables; ++c) {
    const std::size_t arity = 3 + rng.below(4);
    std::vector<VariableId> scope;
    while (scope.size() < arity) {
      const VariableId v = x[rng.below(variables)];
      if (std::ranges::find(scope, v) == scope.end()) scope.push_back(v);
    }
    builder.factor(std::span<const VariableId>(scope),
                   random_table(rng, std::vector<State>(arity, 2)));
  }
  return std::move(builder).build();
}

FactorGraph separate_tables(std::size_t arity, std::size_t factors, std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder;
  const VariableArray x = random_variables(builder, rng, arity * factors, 2);
  for (std::size_t c = 0; c < factors; ++c) {
    builder.factor(x.slice(c * arity, (c + 1) * arity),
                   random_table(rng, std::vector<State>(arity, 2)));
  }
  return std::move(builder).build();
}

FactorGraph separate_low_ranks(std::size_t arity, std::size_t factors, std::size_t rank,
                               std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder;
  const VariableArray x = random_variables(builder, rng, arity * factors, 2);
  for (std::size_t c = 0; c < factors; ++c) {
    std::vector<std::vector<double>> weights;
    for (std::size_t j = 0; j < arity; ++j) {
      weights.push_back(random_numbers(rng, 2 * rank, 0.5, 1.5));
    }
    builder.factor(x.slice(c * arity, (c + 1) * arity),
                   LowRank(std::vector<State>(arity, 2), random_numbers(rng, rank, 0.5, 1.5),
                           std::move(weights)));
  }
  return std::move(builder).build();
}

}  // namespace fgnn::bench
