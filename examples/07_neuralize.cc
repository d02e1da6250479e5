// Belief propagation compiled into a network: the same beliefs from layers with weights.
#include <cmath>
#include <cstdio>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/network/run.h"
#include "fgnn/neuralize/compile.h"
#include "fgnn/potentials/potentials.h"

int main() {
  fgnn::GraphBuilder b;
  const auto x = b.variables("x", 6, 2);
  for (std::size_t i = 0; i < 6; ++i) b.unary(x[i], {0, 0.3 * static_cast<double>(i) - 0.7});
  for (std::size_t i = 0; i < 6; ++i) {
    b.factor({x[i], x[(i + 1) % 6]}, fgnn::Table({2, 2}, {0.5, 0, 0, 1}));
  }
  b.factor(x.slice(0, 5), fgnn::Count::at_most(3));
  const fgnn::FactorGraph graph = std::move(b).build();

  const auto wanted = fgnn::sum_product(
      graph, {.schedule = fgnn::Schedule::flooding, .iterations = 5, .tolerance = 0, .damping = 0});

  fgnn::neuralize::CompileOptions options;
  options.iterations = 5;
  const fgnn::network::Model model = fgnn::neuralize::compile(graph, options);
  std::printf("%s: %zu operations\n", model.description.network.c_str(),
              model.program.operations.size());

  fgnn::network::Runner<double> runner(model);
  const auto logits = runner.run(fgnn::neuralize::features(graph, model));
  double worst = 0;
  for (fgnn::VariableId v = 0; v < graph.num_variables(); ++v) {
    const double p = 1 / (1 + std::exp(logits[2 * v] - logits[2 * v + 1]));
    std::printf("%s  belief propagation %.9f  network %.9f\n", graph.name(v).c_str(),
                wanted.marginals[v][1], p);
    worst = std::fmax(worst, std::abs(p - wanted.marginals[v][1]));
  }
  std::printf("largest difference %.1e\n", worst);
  return worst < 1e-9 ? 0 : 1;
}
