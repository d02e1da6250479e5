// A first graph: eight switches under a table, a budget and a parity check, solved exactly.
#include <cstdio>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/potentials/potentials.h"

int main() {
  fgnn::GraphBuilder b;
  auto x = b.variables("x", 8, /*states=*/2);
  for (auto v : x) b.unary(v, {0.0, 0.25 * (v + 1)});         // log-potentials everywhere
  b.factor({x[0], x[1]}, fgnn::Table({2, 2}, {1, 0, 0, 1}));  // these two like to agree
  b.factor(x.slice(0, 6), fgnn::Count::at_most(3));  // a budget: one number, not 2^6 of them
  b.factor(x.slice(4, 8), fgnn::Parity{});           // an even number of ones
  fgnn::FactorGraph graph = std::move(b).build();

  auto p = fgnn::exact_marginals(graph);
  auto best = fgnn::exact_map(graph);
  for (auto v : x)
    std::printf("%s  %.4f  %u\n", graph.name(v).c_str(), p.marginals[v][1], best.assignment[v]);
  std::printf("ln Z %.6f, best score %.6f\n", *p.log_partition, best.score);
}
