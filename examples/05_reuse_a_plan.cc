// Many instances of one structure: the elimination order is searched once, then each instance
// costs only its arithmetic.
#include <cstdio>

#include "fgnn/core/random.h"
#include "fgnn/core/timing.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/potentials/potentials.h"

int main() {
  constexpr std::size_t kLength = 30, kWindow = 9;
  constexpr int kInstances = 200;
  fgnn::GraphBuilder b;
  auto x = b.variables("x", kLength, 2);
  const auto reward = b.potential(fgnn::Table({2, 2}, {0, 0, 0, 1}));
  const auto budget = b.potential(fgnn::Count::at_most(5));
  for (std::size_t i = 0; i + 1 < kLength; ++i) b.factor({x[i], x[i + 1]}, reward);
  for (std::size_t i = 0; i + kWindow <= kLength; ++i) b.factor(x.slice(i, i + kWindow), budget);
  const fgnn::FactorGraph graph = std::move(b).build();

  const fgnn::Stopwatch planning;
  // Without pruning the plan fits every graph of this structure, whatever its unary potentials.
  const fgnn::ExactPlan plan(graph, fgnn::ExactTask::map, {.prune = false});
  std::printf("plan: width %zu, %.0f operations, %.3f ms\n", plan.cost().induced_width,
              plan.cost().operations, 1e3 * planning.seconds());

  fgnn::Rng rng(7);
  double total = 0;
  const fgnn::Stopwatch solving;
  for (int i = 0; i < kInstances; ++i) {
    std::vector<double> unaries(graph.total_states());
    for (double& value : unaries) value = rng.uniform();
    total += plan.map(graph.with_unaries(std::move(unaries))).score;
  }
  std::printf("%d instances, mean score %.6f, %.1f us each\n", kInstances, total / kInstances,
              1e6 * solving.seconds() / kInstances);
}
