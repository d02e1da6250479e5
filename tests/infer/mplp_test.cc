#include "fgnn/infer/mplp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/core/timing.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/mplp/dual.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::random_graph;

TEST(Mplp, BoundNeverFallsBelowTheMapNorScoreAboveIt) {
  Rng rng(51);
  for (int i = 0; i < 400; ++i) {
    const FactorGraph g =
        random_graph(rng, {.max_variables = 8, .max_factors = 9, .feasible = i % 4 != 0});
    const Result want = enumerate_map(g), got = mplp(g, {.clusters = i % 2 ? 0u : 20u});
    if (want.status == Status::infeasible) {
      EXPECT_TRUE(got.status == Status::infeasible || got.score == kForbidden);
      continue;
    }
    ASSERT_NE(got.status, Status::infeasible);
    EXPECT_GE(got.bound, want.score - 1e-9);
    EXPECT_LE(got.score, want.score + 1e-9);
    if (got.status == Status::exact) {
      EXPECT_NEAR(got.score, want.score, 1e-5);
    }
    EXPECT_FALSE(std::isnan(got.bound));
  }
}

TEST(Mplp, BoundIsTightOnTrees) {
  Rng rng(52);
  int exact = 0;
  for (int i = 0; i < 200; ++i) {
    const FactorGraph g = random_graph(
        rng, {.max_variables = 8, .tree = true, .kinds = {"table", "count", "max-rank-1"}});
    const Result got = mplp(g, {.tolerance = 1e-12});
    EXPECT_NEAR(got.bound, enumerate_map(g).score, 1e-4);
    exact += got.status == Status::exact;
  }
  EXPECT_GT(exact, 180);
}

TEST(Mplp, BoundNeverRises) {
  Rng rng(53);
  for (int i = 0; i < 50; ++i) {
    const FactorGraph g =
        random_graph(rng, {.max_variables = 9, .max_factors = 12, .kinds = {"table", "count"}});
    lp::Dual dual(g);
    double last = dual.bound();
    for (int pass = 0; pass < 20 && dual.contradiction().empty(); ++pass) {
      dual.pass(pass % 2 == 1);
      EXPECT_LE(dual.bound(), last + 1e-9);
      last = dual.bound();
      dual.refresh();
      // The running bound takes a factor's own term as 0; states lost since may lower it.
      EXPECT_LE(dual.bound(), last + 1e-9);
    }
  }
}

TEST(Mplp, BudgetStepEqualsItsTable) {
  Rng rng(54);
  for (int i = 0; i < 200; ++i) {
    const std::size_t n = 2 + rng.below(7);
    std::vector<double> values;
    for (std::size_t k = 0; k <= n; ++k)
      values.push_back(rng.below(4) ? rng.uniform(-1, 1) : kForbidden);
    values[rng.below(n + 1)] = 0;
    const auto make = [&](bool table) {
      GraphBuilder b;
      auto x = b.variables("x", n, 2);
      Rng unaries(static_cast<std::uint64_t>(i));
      for (VariableId v : x) b.unary(v, {0, unaries.uniform(-1, 1)});
      const Count count(values);
      if (table) {
        b.factor(x, expand(count, std::vector<State>(n, 2)));
      } else {
        b.factor(x, count);
      }
      return std::move(b).build();
    };
    const FactorGraph g = make(false), t = make(true);
    lp::Dual a(g), c(t);
    a.pass(false);
    c.pass(false);
    for (std::size_t s = 0; s < a.beliefs().size(); ++s) {
      if (c.beliefs()[s] == kForbidden) {
        EXPECT_EQ(a.beliefs()[s], kForbidden);
      } else {
        EXPECT_NEAR(a.beliefs()[s], c.beliefs()[s], 1e-12);
      }
    }
  }
}

// A frustrated triangle: the relaxation is loose, one cluster of three makes it tight.
TEST(Mplp, ClustersCloseTheGapOfAFrustratedTriangle) {
  GraphBuilder b;
  auto x = b.variables("x", 3, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    b.factor({x[i], x[(i + 1) % 3]}, Table{{2, 2}, {0, 1, 1, 0}});
  }
  const FactorGraph g = std::move(b).build();
  const Result loose = mplp(g), tight = mplp(g, {.clusters = 3});
  EXPECT_NEAR(loose.bound, 3, 1e-6);
  EXPECT_NEAR(tight.bound, 2, 1e-5);
  EXPECT_NEAR(tight.score, 2, 1e-12);
}

TEST(Mplp, ClustersTightenGridsThroughTheirFaces) {
  Rng rng(55);
  GraphBuilder b;
  auto x = b.variables("x", 16, 2);
  for (std::size_t i = 0; i < 16; ++i) {
    const auto coupling = [&] {
      const double j = rng.uniform(-2, 2);
      return Table{{2, 2}, {j, -j, -j, j}};
    };
    if (i % 4 + 1 < 4) b.factor({x[i], x[i + 1]}, coupling());
    if (i + 4 < 16) b.factor({x[i], x[i + 4]}, coupling());
  }
  const FactorGraph g = std::move(b).build();
  const double map = enumerate_map(g).score;
  const Result loose = mplp(g), tight = mplp(g, {.clusters = 40});
  EXPECT_GT(loose.bound - map, 0.1);
  EXPECT_NEAR(tight.bound, map, 1e-3);
}

TEST(Mplp, TheTimeLimitHoldsWhileClustersAreSought) {
  Rng rng(57);
  GraphBuilder b;
  const std::size_t n = 196;  // 19,110 pairs: triangles and squares without end
  auto x = b.variables("x", n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double c = rng.uniform(-1, 1);
      b.factor({x[j], x[i]}, Table{{2, 2}, {c, -c, -c, c}});
    }
  }
  const FactorGraph g = std::move(b).build();
  const Stopwatch watch;
  const Result r = mplp(g, {.clusters = 1000, .time_limit = 0.5});
  EXPECT_EQ(r.status, Status::time_limit);
  EXPECT_EQ(r.assignment.size(), n);
  EXPECT_LT(watch.seconds(), 10);
}

TEST(Mplp, StopsAndChecksItsOptions) {
  Rng rng(56);
  const FactorGraph g = random_graph(rng, {.min_variables = 5, .max_factors = 9});
  EXPECT_LE(mplp(g, {.iterations = 3}).iterations, 3u);
  testing::expect_error(ErrorCode::usage, "tolerance", [&] { mplp(g, {.tolerance = -1}); });
  testing::expect_error(ErrorCode::usage, "time limit", [&] { mplp(g, {.time_limit = 0}); });
}

}  // namespace
}  // namespace fgnn
