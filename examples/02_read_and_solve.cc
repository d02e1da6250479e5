// From a file to marginals: any format that `fgnn list formats` shows, with one variable observed.
#include <cstdio>

#include "fgnn/core/error.h"
#include "fgnn/infer/exact.h"
#include "fgnn/io/files.h"

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "examples/models/sprinkler.uai";
  try {
    const fgnn::FactorGraph graph = fgnn::read_graph(file);
    const fgnn::Result prior = fgnn::exact_marginals(graph);
    // What is known goes in as evidence; the graph itself never changes.
    const auto last = static_cast<fgnn::VariableId>(graph.num_variables() - 1);
    const fgnn::Result posterior = fgnn::exact_marginals(graph, {}, fgnn::Evidence{}.fix(last, 1));
    std::printf("%s: ln Z = %.6f, ln p(%s = 1) = %.6f\n", file, *prior.log_partition,
                graph.name(last).c_str(), *posterior.log_partition - *prior.log_partition);
    for (fgnn::VariableId v = 0; v < graph.num_variables(); ++v) {
      std::printf("p(%s = 1)  %.4f before, %.4f after\n", graph.name(v).c_str(),
                  prior.marginals[v][1], posterior.marginals[v][1]);
    }
  } catch (const fgnn::Error& error) {  // one line that says what, where, and what to do
    std::fprintf(stderr, "%s\n", error.what());
    return fgnn::exit_code(error.code());
  }
}
