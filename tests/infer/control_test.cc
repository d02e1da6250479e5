// Every method can be watched and stopped: it ends soon, says so, and gives the best it has.
#include <gtest/gtest.h>

#include <set>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/methods.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn {
namespace {

// A grid on which no relaxation is tight and no method done within a few iterations.
FactorGraph hard_grid(int side) {
  Rng rng(7);
  GraphBuilder b;
  const auto x = b.variables("x", static_cast<std::size_t>(side * side), 3);
  const auto at = [&](int i, int j) { return x[static_cast<std::size_t>(i * side + j)]; };
  const auto pair = [&](VariableId u, VariableId v) {
    std::vector<double> values(9);
    for (double& value : values) value = rng.uniform(-3, 3);
    b.factor({u, v}, Table({3, 3}, values));
  };
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      if (i + 1 < side) pair(at(i, j), at(i + 1, j));
      if (j + 1 < side) pair(at(i, j), at(i, j + 1));
    }
  }
  return std::move(b).build();
}

// Asks to stop after so many steps.
struct StopsAfter : Observer {
  explicit StopsAfter(int n) : left(n) {}
  void on_progress(const Progress& p) override {
    stages.insert(std::string(p.stage));
    if (p.over) return;
    ++steps;
    done = p.done;
    if (--left == 0) source.request_stop();
  }
  int left, steps = 0;
  double done = 0;
  std::set<std::string> stages;
  StopSource source;
};

TEST(Control, EveryMethodStopsWhenItIsAskedBeforeItBegins) {
  const FactorGraph graph = hard_grid(4);
  for (const Method& method : methods()) {
    StopSource source;
    source.request_stop();
    MethodOptions options;
    options.control.stop = source.token();
    try {
      const Result r = method.solve(graph, options, {});
      EXPECT_TRUE(r.status == Status::interrupted || r.status == Status::exact)
          << name(method.query) << " " << method.name << ": " << r.status;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::interrupted) << method.name << ": " << error.what();
    }
  }
}

TEST(Control, IterativeMapMethodsGiveTheBestSoFar) {
  const FactorGraph graph = hard_grid(12);
  for (const std::string name : {"max-product", "mplp", "ad3", "ad3-exact"}) {
    StopsAfter watcher(name == "ad3-exact" ? 1 : 3);  // nodes are large steps
    MethodOptions options;
    options.control = {&watcher, watcher.source.token()};
    options.tolerance = 0;
    options.iterations = 10;  // too few to prove anything at the root
    const Result r = find_method(Query::map, name).solve(graph, options, {});
    EXPECT_EQ(r.status, Status::interrupted) << name;
    EXPECT_LE(watcher.steps, 5) << name;
    ASSERT_EQ(r.assignment.size(), graph.num_variables()) << name;
    EXPECT_EQ(r.score, graph.score(r.assignment)) << name;
    EXPECT_GE(r.bound, r.score) << name;
  }
}

TEST(Control, SumProductGivesTheBeliefsItHas) {
  const FactorGraph graph = hard_grid(8);
  StopsAfter watcher(2);
  MethodOptions options;
  options.control = {&watcher, watcher.source.token()};
  options.tolerance = 0;
  const Result r = find_method(Query::infer, "sum-product").solve(graph, options, {});
  EXPECT_EQ(r.status, Status::interrupted);
  EXPECT_EQ(r.iterations, 2u);
  EXPECT_EQ(r.marginals.size(), graph.num_variables());
}

TEST(Control, EliminationHasNoAnswerWhenItIsStopped) {
  const FactorGraph graph = hard_grid(8);
  StopsAfter watcher(1);
  MethodOptions options;
  options.control = {&watcher, watcher.source.token()};
  try {
    find_method(Query::infer, "exact").solve(graph, options, {});
    FAIL() << "had an answer";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted) << error.what();
  }
}

TEST(Control, ObserversSeeEveryIterationAndChangeNothing) {
  const FactorGraph graph = hard_grid(4);
  for (const Method& method : methods()) {
    if (method.name == "enumerate") continue;  // 3^16 joint states
    StopsAfter watcher(-1);
    MethodOptions options;
    if (method.takes("iterations")) options.iterations = 20;
    const Result alone = method.solve(graph, options, {});
    options.control.observer = &watcher;
    const Result watched = method.solve(graph, options, {});
    EXPECT_EQ(alone, watched) << method.name;
    EXPECT_GT(watcher.steps, 0) << method.name;
    if (method.takes("damping")) {
      EXPECT_EQ(watcher.done, static_cast<double>(watched.iterations));
    }
  }
}

}  // namespace
}  // namespace fgnn
