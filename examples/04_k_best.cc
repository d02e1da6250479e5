// The ten best assignments in order, and how much probability they hold together.
#include <cmath>
#include <cstdio>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/potentials/potentials.h"

int main() {
  fgnn::GraphBuilder b;
  auto x = b.variables("x", 12, 3);
  for (auto v : x) b.unary(v, {0.3 * std::sin(v), 0.5 * std::cos(v), 0.1 * v});
  const auto agree = b.potential(fgnn::Table({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  for (std::size_t i = 0; i + 1 < x.size(); ++i) b.factor({x[i], x[i + 1]}, agree);  // shared
  b.factor(x, fgnn::Count::at_most(6, {{2}}));  // at most six variables in state 2
  const fgnn::FactorGraph graph = std::move(b).build();

  const double log_z = *fgnn::exact_marginals(graph).log_partition;
  const fgnn::Result result = fgnn::exact_map(graph, {}, {}, /*k=*/10);
  double held = 0;
  for (const fgnn::Solution& solution : result.solutions) {
    const double p = std::exp(solution.score - log_z);
    held += p;
    for (fgnn::State state : solution.assignment) std::printf("%u", state);
    std::printf("  score %.4f  probability %.4f\n", solution.score, p);
  }
  std::printf("together %.4f\n", held);
}
