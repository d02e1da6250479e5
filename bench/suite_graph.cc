// Building a large graph: every factor joins five variables, all factors share one budget.
#include <memory>

#include "bench/suite.h"
#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/count.h"

namespace fgnn::bench {
namespace {

constexpr std::size_t kArity = 5;

// Scopes one after another, kArity entries each; distinct variables within a scope.
std::vector<VariableId> random_scopes(std::size_t variables, std::size_t factors,
                                      std::uint64_t seed) {
  Rng rng(seed);
  std::vector<VariableId> scopes;
  scopes.reserve(factors * kArity);
  for (std::size_t c = 0; c < factors; ++c) {
    // One variable from each fifth of the range: distinct, and as scattered as at random.
    for (std::size_t j = 0; j < kArity; ++j) {
      const std::size_t fifth = variables / kArity;
      scopes.push_back(static_cast<VariableId>(j * fifth + rng.below(fifth)));
    }
  }
  return scopes;
}

FactorGraph build(std::size_t variables, const std::vector<VariableId>& scopes) {
  GraphBuilder builder;
  builder.reserve(variables, scopes.size() / kArity, scopes.size());
  builder.variables("x", variables, 2);
  const PotentialId budget = builder.potential(Count::at_most(3));
  for (std::size_t e = 0; e < scopes.size(); e += kArity) {
    builder.factor(std::span(scopes).subspan(e, kArity), budget);
  }
  return std::move(builder).build();
}

// The baseline: what one writes first, a list of neighbours per node.
struct PlainGraph {
  std::vector<std::vector<VariableId>> scope;
  std::vector<std::vector<FactorId>> factors;

  std::size_t bytes() const {
    std::size_t total = 0;
    for (const auto& list : scope) total += sizeof(list) + list.capacity() * sizeof(list[0]);
    for (const auto& list : factors) total += sizeof(list) + list.capacity() * sizeof(list[0]);
    return total;
  }
};

PlainGraph build_plainly(std::size_t variables, const std::vector<VariableId>& scopes) {
  PlainGraph graph;
  graph.factors.resize(variables);
  graph.scope.resize(scopes.size() / kArity);
  for (std::size_t c = 0; c < graph.scope.size(); ++c) {
    for (std::size_t j = 0; j < kArity; ++j) {
      const VariableId v = scopes[c * kArity + j];
      graph.scope[c].push_back(v);
      graph.factors[v].push_back(static_cast<FactorId>(c));
    }
  }
  return graph;
}

}  // namespace

std::vector<Row> run_graph(const SuiteOptions& options) {
  const std::size_t variables = options.quick ? 50'000 : 1'000'000, factors = variables;
  const std::vector<VariableId> scopes = random_scopes(variables, factors, options.seed);
  const auto edges = static_cast<double>(scopes.size());
  constexpr int kRepeats = 5;

  FactorGraph graph;
  PlainGraph plain;
  const Seconds build_time = best_seconds(
      kRepeats, [&] { graph = build(variables, scopes); },
      [&] { plain = build_plainly(variables, scopes); });

  const std::string baseline = "vectors of vectors";
  // The unary potentials are not part of the baseline: 16 bytes per binary variable.
  const double unary_bytes = static_cast<double>(graph.total_states()) * sizeof(double);
  const double bytes = static_cast<double>(graph.bytes()) - unary_bytes;
  return {{"build", build_time.library, "s", build_time.baseline, baseline},
          {"build rate", edges / build_time.library / 1e6, "million edges/s",
           edges / build_time.baseline / 1e6, baseline, true},
          {"memory", bytes / edges, "bytes/edge", static_cast<double>(plain.bytes()) / edges,
           baseline}};
}

}  // namespace fgnn::bench
