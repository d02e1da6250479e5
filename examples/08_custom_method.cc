// A method of your own, known by name to everything that takes one: `find_method`, comparisons, and
// settings in text such as "coin:iterations=50". It is watched and stopped like the others.
#include <cstdio>

#include "fgnn/fgnn.h"

using namespace fgnn;

// Tosses coins for every variable, again and again, and keeps the best.
Result toss_coins(const FactorGraph& graph, const MethodOptions& options,
                  const Evidence& evidence) {
  const Deadline deadline(options.time_limit, {}, options.control.stop);
  const FactorGraph given = graph.given(evidence);
  const std::size_t tosses = options.iterations.value_or(1000);
  Stage stage(options.control, "tossing coins", static_cast<double>(tosses));
  Rng coin(options.seed);
  Result result;
  result.method = "coin";
  result.status = Status::iteration_limit;
  for (; result.iterations < tosses; ++result.iterations) {
    if (deadline.expired()) {
      result.status = stopped_by(deadline);
      break;
    }
    std::vector<State> x;
    for (const State n : given.states()) x.push_back(static_cast<State>(coin.below(n)));
    const double score = given.score(x);
    if (score > result.score) result.score = score, result.assignment = std::move(x);
    stage.now().score = result.score;
    stage.advance();
  }
  return finish_map(given, std::move(result));  // checks the answer and completes it
}

int main() {
  add_method({.name = "coin",
              .query = Query::map,
              .description = "tosses coins and keeps the best",
              .cost = "scoring the graph, per iteration",
              .guarantee = "none",
              .settings = {"iterations"},
              .run = toss_coins});

  GraphBuilder b;
  const auto x = b.variables("x", 8, 2);
  for (std::size_t i = 0; i < 8; ++i) b.unary(x[i], {0, i % 2 ? 0.4 : -0.2});
  for (std::size_t i = 0; i + 1 < 8; ++i) b.factor({x[i], x[i + 1]}, Table{{2, 2}, {0, 1, 1, 0}});
  const FactorGraph graph = std::move(b).build();

  Comparison comparison(parse_variants(Query::map, "exact,coin,coin:iterations=10", {}));
  comparison.add(graph);
  for (const ComparisonRow& row : comparison.rows()) {
    std::printf("%-20s score %.1f\n", row.method.c_str(), *row.score);
  }
  std::printf("\n%s", find_method(Query::map, "coin").solve(graph, {}, {}).full_report().c_str());
}
