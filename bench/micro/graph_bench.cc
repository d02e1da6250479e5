// Developers' view of the graph: building, copying with evidence, scoring, statistics.
#include <benchmark/benchmark.h>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/graph/statistics.h"
#include "fgnn/potentials/count.h"

namespace {

constexpr std::size_t kWindow = 5;

fgnn::FactorGraph ring_of_budgets(std::size_t variables) {
  fgnn::GraphBuilder builder;
  const auto x = builder.variables("x", variables, 2);
  const auto budget = builder.potential(fgnn::Count::at_most(3));
  std::vector<fgnn::VariableId> scope(kWindow);
  for (std::size_t i = 0; i < variables; ++i) {
    for (std::size_t j = 0; j < kWindow; ++j) scope[j] = x[(i + j) % variables];
    builder.factor(scope, budget);
  }
  return std::move(builder).build();
}

void BM_BuildGraph(benchmark::State& state) {
  const auto variables = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(ring_of_budgets(variables).num_edges());
  state.SetItemsProcessed(state.iterations() * state.range(0) * static_cast<int64_t>(kWindow));
}
BENCHMARK(BM_BuildGraph)->Range(1 << 10, 1 << 18);

void BM_GivenEvidence(benchmark::State& state) {
  const fgnn::FactorGraph graph = ring_of_budgets(1 << 16);
  const fgnn::Evidence evidence = fgnn::Evidence{}.fix(7, 1);
  for (auto _ : state) benchmark::DoNotOptimize(graph.given(evidence).num_edges());
}
BENCHMARK(BM_GivenEvidence);

void BM_Score(benchmark::State& state) {
  const fgnn::FactorGraph graph = ring_of_budgets(1 << 16);
  const std::vector<fgnn::State> zeros(graph.num_variables(), 0);
  for (auto _ : state) benchmark::DoNotOptimize(graph.score(zeros));
}
BENCHMARK(BM_Score);

void BM_Statistics(benchmark::State& state) {
  const fgnn::FactorGraph graph = ring_of_budgets(1 << 16);
  for (auto _ : state) benchmark::DoNotOptimize(fgnn::statistics(graph).components);
}
BENCHMARK(BM_Statistics);

}  // namespace
