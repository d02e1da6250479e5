// Methods with bounds, and the sampler, count what they will hold before it is allocated.
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/gibbs.h"
#include "fgnn/infer/join_graph.h"
#include "fgnn/infer/mean_field.h"
#include "fgnn/infer/mini_bucket.h"
#include "fgnn/infer/tree_reweighted.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

// Walked along its count, with n^2 moves.
FactorGraph long_count(std::size_t n) {
  GraphBuilder b;
  std::vector<double> by_count;
  for (std::size_t k = 0; k <= n; ++k) by_count.push_back(std::sin(static_cast<double>(k)));
  b.factor(b.variables("x", n, 2), Count(by_count));
  return std::move(b).build();
}

FactorGraph many_pairs() {
  GraphBuilder b;
  const auto x = b.variables("x", 60, 2);
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      b.factor({x[j], x[i]}, Table({2, 2}, {0, 0.1, 0.2, std::cos(double(i * 60 + j))}));
    }
  }
  return std::move(b).build();
}

TEST(BoundsMemory, WalksAreCountedWhileTheyAreMade) {
  const FactorGraph graph = long_count(400);
  TreeReweightedOptions trw;
  trw.max_bytes = 1 << 20;
  expect_error(ErrorCode::too_large, "trw: needs", [&] { tree_reweighted(graph, trw); });
  MeanFieldOptions field;
  field.max_bytes = 1 << 20;
  expect_error(ErrorCode::too_large, "mean-field: needs", [&] { mean_field(graph, field); });
}

TEST(BoundsMemory, ClustersAreCountedBeforeTheyAreMade) {
  const FactorGraph graph = many_pairs();
  JoinGraphOptions join;
  join.ibound = 20;
  join.max_bytes = 32 << 20;
  expect_error(ErrorCode::too_large, "join-graph: needs", [&] { join_graph(graph, join); });
  MiniBucketOptions buckets;
  buckets.ibound = 20;
  buckets.max_bytes = 32 << 20;
  expect_error(ErrorCode::too_large, "mini-bucket: needs",
               [&] { mini_bucket_marginals(graph, buckets); });
  join.ibound = buckets.ibound = 4;  // whose clusters fit
  join.iterations = 1;
  EXPECT_FALSE(join_graph(graph, join).marginals.empty());
  EXPECT_LT(mini_bucket_marginals(graph, buckets).log_partition_high, kInfinity);
}

TEST(BoundsMemory, ChainsAreCountedBeforeTheyAreMade) {
  GibbsOptions options;
  options.chains = 1000000;
  options.max_bytes = 1 << 20;
  expect_error(ErrorCode::too_large, "gibbs: needs", [&] { gibbs(many_pairs(), options); });
}

}  // namespace
}  // namespace fgnn
