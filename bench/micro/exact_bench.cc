// Developers' view of the exact solver: planning and solving apart.
#include <benchmark/benchmark.h>

#include "fgnn/experiments/synthetic/instances.h"
#include "fgnn/infer/exact.h"

namespace {

fgnn::FactorGraph chain() { return fgnn::synthetic::synthetic_instance({}, 1).graph(); }

void BM_ExactPlan(benchmark::State& state) {
  const fgnn::FactorGraph graph = chain();
  for (auto _ : state) {
    benchmark::DoNotOptimize(fgnn::ExactPlan(graph, fgnn::ExactTask::marginals).cost().operations);
  }
}
BENCHMARK(BM_ExactPlan);

void BM_ExactMarginals(benchmark::State& state) {
  const fgnn::FactorGraph graph = chain();
  const fgnn::ExactPlan plan(graph, fgnn::ExactTask::marginals);
  for (auto _ : state) benchmark::DoNotOptimize(plan.marginals(graph).log_partition);
}
BENCHMARK(BM_ExactMarginals);

void BM_ExactMap(benchmark::State& state) {
  const fgnn::FactorGraph graph = chain();
  const fgnn::ExactPlan plan(graph, fgnn::ExactTask::map);
  for (auto _ : state) benchmark::DoNotOptimize(plan.map(graph).score);
}
BENCHMARK(BM_ExactMap);

}  // namespace
