// Constraints without tables: eight tasks go to eight workers, no two to the same one, at most two
// of the first four tasks to the senior workers 0, 1 and 2, and a 40-bit word of even parity whose
// table would have 2^40 entries.
#include <cstdio>

#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/potentials/potentials.h"

int main() {
  constexpr std::size_t kTasks = 8, kBits = 40;
  fgnn::Rng rng(1);
  fgnn::GraphBuilder b;

  auto worker = b.variables("worker", kTasks, kTasks);
  for (auto task : worker) {
    std::vector<double> skill(kTasks);
    for (double& s : skill) s = rng.uniform(0, 3);
    b.unary(task, skill);
  }
  b.factor(worker, fgnn::AllDifferent{});
  b.factor(worker.slice(0, 4), fgnn::Count::at_most(2, {{0, 1, 2}}));

  auto bit = b.variables("bit", kBits, 2);
  for (auto v : bit) b.unary(v, {0.0, rng.normal()});
  b.factor(bit, fgnn::Parity{});
  b.factor(bit, fgnn::Count::exactly(10));

  const fgnn::FactorGraph graph = std::move(b).build();
  const fgnn::Result best = fgnn::exact_map(graph);
  for (auto task : worker) {
    std::printf("%s = %u\n", graph.name(task).c_str(), best.assignment[task]);
  }
  std::printf("bits ");
  for (auto v : bit) std::printf("%u", best.assignment[v]);
  std::printf("\nscore %.6f, proved: %s\n", best.score, best.score == best.bound ? "yes" : "no");
}
