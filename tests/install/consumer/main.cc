// A program outside the repository, built against the installed library.
#include <cmath>
#include <cstdio>

#include "fgnn/fgnn.h"

int main() {
  fgnn::GraphBuilder builder;
  const auto x = builder.variables("x", 2, 2);
  builder.factor({x[0], x[1]},
                 fgnn::Table{{2, 2}, {std::log(1), std::log(2), std::log(3), std::log(4)}});
  const fgnn::FactorGraph graph = std::move(builder).build();
  // By name, from a registry that nobody has filled here.
  const fgnn::Result result = fgnn::find_method(fgnn::Query::infer, "exact").solve(graph, {}, {});
  std::printf("fgnn %s: log Z = %.6f, p(x = 1) = %.6f\n", fgnn::kVersion, *result.log_partition,
              result.marginals[x[0]][1]);
}
