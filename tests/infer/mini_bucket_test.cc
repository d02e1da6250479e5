// Mini-buckets against enumeration: bounds on both sides, exact where nothing is split, and the
// bound of a search that only falls.
#include "fgnn/infer/mini_bucket.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/minibucket/mini_buckets.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using minibucket::Bound;
using minibucket::MiniBuckets;
using minibucket::Place;
using testing::expect_error;

constexpr double kRounding = 1e-7;

testing::RandomGraphOptions wide() {
  testing::RandomGraphOptions random;
  random.min_variables = 5;
  random.max_variables = 8;
  random.max_factors = 20;
  random.max_arity = 3;
  return random;
}

TEST(MiniBucket, BoundsHoldOnBothSidesWhateverTheOptions) {
  int split = 0, finite = 0;
  for (std::uint64_t trial = 0; trial < 3000; ++trial) {
    Rng rng(11, trial);
    const FactorGraph graph = testing::random_graph(rng, wide());
    const double log_z = *enumerate_marginals(graph).log_partition;
    MiniBucketOptions options;
    options.ibound = 1 + rng.below(4);
    options.weights = rng.below(2) ? BucketWeights::equal : BucketWeights::single;
    options.shift = rng.below(2) == 1;
    const Result r = mini_bucket_marginals(graph, options);
    ASSERT_NE(r.status, Status::infeasible) << trial;
    EXPECT_LE(r.log_partition_low, log_z + kRounding) << trial;
    EXPECT_GE(r.log_partition_high, log_z - kRounding) << trial;
    split += r.status != Status::exact;
    finite += r.status != Status::exact && r.log_partition_low > kForbidden;
  }
  EXPECT_GT(split, 300);
  EXPECT_GT(finite, split * 9 / 10);
}

TEST(MiniBucket, WithEnoughBitsItIsExact) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Rng rng(12, trial);
    const FactorGraph graph = testing::random_graph(rng, wide());
    const Result want = enumerate_marginals(graph);
    MiniBucketOptions options;
    options.ibound = 30;
    const Result got = mini_bucket_marginals(graph, options);
    ASSERT_EQ(got.status, Status::exact) << trial;
    EXPECT_NEAR(*got.log_partition, *want.log_partition, 1e-9) << trial;
    for (std::size_t i = 0; i < want.marginals.values().size(); ++i) {
      EXPECT_NEAR(got.marginals.values()[i], want.marginals.values()[i], 1e-9) << trial;
    }
    EXPECT_EQ(mini_bucket_map(graph, options).status, Status::exact) << trial;
  }
}

TEST(MiniBucket, MapBoundsAreAboveTheOptimumAndTheAnswerBelow) {
  for (std::uint64_t trial = 0; trial < 1000; ++trial) {
    Rng rng(13, trial);
    const FactorGraph graph = testing::random_graph(rng, wide());
    const double optimum = enumerate_map(graph).score;
    MiniBucketOptions options;
    options.ibound = 1 + rng.below(4);
    options.shift = rng.below(2) == 1;
    const Result r = mini_bucket_map(graph, options);
    EXPECT_GE(r.bound, optimum - kRounding) << trial;
    EXPECT_LE(r.score, optimum + kRounding) << trial;
  }
}

// Where a variable is not split, its pseudo-marginals are the derivatives of the upper bound.
TEST(MiniBucket, MarginalsAreTheDerivativesOfTheUpperBound) {
  testing::RandomGraphOptions random = wide();
  random.kinds = {"table"};
  MiniBucketOptions options;
  options.ibound = 2;
  options.shift = false;  // levelling would change with the potentials
  const auto bound = [&](const FactorGraph& graph, std::size_t place, double value) {
    std::vector<double> unaries(graph.unaries().begin(), graph.unaries().end());
    unaries[place] = value;
    return mini_bucket_marginals(graph.with_unaries(unaries), options).log_partition_high;
  };
  std::size_t looked_at = 0;
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    Rng rng(14, trial);
    const FactorGraph graph = testing::random_graph(rng, random);
    const Result r = mini_bucket_marginals(graph, options);
    Budget budget("test");
    const MiniBuckets buckets(graph, options, Bound::above, budget);
    for (VariableId v = 0; v < graph.num_variables(); ++v) {
      const Place p = buckets.place(v);
      if (p == minibucket::kNone || buckets.scheme().parts_of(p) > 1) continue;
      for (State x = 0; x < graph.states(v); ++x) {
        constexpr double kStep = 1e-5;
        const std::size_t place = graph.state_offset(v) + x;
        const double at = graph.unaries()[place];
        if (at == kForbidden) continue;
        const double slope =
            (bound(graph, place, at + kStep) - bound(graph, place, at - kStep)) / (2 * kStep);
        EXPECT_NEAR(r.marginals[v][x], slope, 1e-5) << trial;
        looked_at += r.status != Status::exact;
      }
    }
  }
  EXPECT_GT(looked_at, 100u);
}

// A branch and bound asks step(): bounds only fall on the way down, stay above the best completion
// and end at the score.
TEST(MiniBucket, StepsOfASearchOnlyLowerTheBoundAndEndAtTheScore) {
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    Rng rng(15, trial);
    const FactorGraph graph = testing::random_graph(rng, wide());
    Budget budget("test");
    MiniBucketOptions options;
    options.ibound = 1 + rng.below(4);
    const MiniBuckets h(graph, options, Bound::max, budget);
    ASSERT_EQ(h.contradiction(), "");
    std::vector<State> x(h.size(), 0);
    double bound = h.bound();
    double own = h.constant(Bound::max);
    std::vector<double> change;
    for (Place p = static_cast<Place>(h.size()); p-- > 0 && bound > kForbidden;) {
      change.resize(h.states(p));
      h.step(p, x, change);
      for (double c : change) EXPECT_LE(c, kRounding) << trial;
      x[p] = static_cast<State>(rng.below(h.states(p)));
      bound += change[x[p]];
      if (bound == kForbidden) break;
      // Its two ways of saying the same: what is scored by now, and the rest.
      own = bound - h.rest(p, x);
      EXPECT_TRUE(std::isfinite(own)) << trial;
    }
    const double score = graph.score(h.assignment(x));
    bool chains = false;  // whose own variables were drawn, too
    for (Place p = 0; p < h.size(); ++p) chains |= !h.variable(p);
    if (bound == kForbidden) {
      if (!chains) {
        EXPECT_EQ(score, kForbidden) << trial;
      }
    } else if (!chains) {
      EXPECT_NEAR(bound, score, kRounding) << trial;
    } else {
      EXPECT_LE(bound, score + kRounding) << trial;
    }
  }
}

TEST(MiniBucket, BoundsGrowTighterWithMoreBits) {
  double loose = 0, tight = 0;
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    Rng rng(16, trial);
    testing::RandomGraphOptions random = wide();
    random.kinds = {"table"};
    const FactorGraph graph = testing::random_graph(rng, random);
    MiniBucketOptions options;
    options.ibound = 1;
    loose += mini_bucket_map(graph, options).bound;
    options.ibound = 6;
    tight += mini_bucket_map(graph, options).bound;
  }
  EXPECT_LT(tight, loose);
}

// On wide grids levelling drives the parts of a lower bound apart until nothing but rounding is
// left. That is noticed: the total is not relied on, and the bounds do not cross.
TEST(MiniBucket, LowerBoundsThatAreMostlyRoundingAreNotUsed) {
  constexpr std::size_t kSide = 60;
  Rng rng(17);
  GraphBuilder b;
  const auto x = b.variables("x", kSide * kSide, 2);
  for (VariableId v : x) b.unary(v, {0, rng.uniform(-1, 1)});
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    for (const std::size_t j : {i + 1, i + kSide}) {
      if (j >= kSide * kSide || (j == i + 1 && j % kSide == 0)) continue;
      const double k = rng.uniform(-2, 2);
      b.factor({x[i], x[j]}, Table({2, 2}, {k, -k, -k, k}));
    }
  }
  const FactorGraph graph = std::move(b).build();
  MiniBucketOptions options;
  options.ibound = 4;
  Budget budget("test");
  const MiniBuckets buckets(graph, options, Bound::above, budget);
  EXPECT_TRUE(buckets.pass().reliable());
  EXPECT_FALSE(buckets.pass_of({.bound = Bound::below}).reliable());
  EXPECT_TRUE(buckets.pass_of({.bound = Bound::below, .shift = false}).reliable());
  const Result r = mini_bucket_marginals(graph, options);
  EXPECT_LT(r.log_partition_low, r.log_partition_high);
  EXPECT_GT(r.log_partition_low, 0);
}

// A sum of signed terms on 30 variables has neither a table that fits nor a chain.
TEST(MiniBucket, FactorsWithoutAUsableFormCountByTheirRange) {
  GraphBuilder b;
  const auto x = b.variables("x", 30, 2);
  b.unary(x[0], {0, 1});
  b.factor(x, LowRank(std::vector<State>(30, 2), {1, -0.25},
                      std::vector<std::vector<double>>(30, {1, 1, 1, 0.5})));
  const FactorGraph graph = std::move(b).build();
  const Result r = mini_bucket_marginals(graph);
  EXPECT_NE(r.message.find("by the range of their scores"), std::string::npos) << r.message;
  EXPECT_GT(r.log_partition_high, 29 * std::log(2.0));
  EXPECT_LT(r.log_partition_low, r.log_partition_high);
  EXPECT_GT(r.log_partition_low, kForbidden);
}

TEST(MiniBucket, KeepsTheMemoryAndTheTime) {
  GraphBuilder b;
  const auto x = b.variables("x", 40, 2);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      b.factor({x[j], x[i]}, Table({2, 2}, {0, 0.1, 0.2, std::cos(double(i * 40 + j))}));
    }
  }
  const FactorGraph graph = std::move(b).build();
  MiniBucketOptions options;
  options.ibound = 22;
  options.max_bytes = 64 << 20;
  expect_error(ErrorCode::too_large, "mini-bucket: needs",
               [&] { mini_bucket_map(graph, options); });
  options.ibound = 25;
  options.max_bytes = std::uint64_t{16} << 30;
  options.time_limit = 0.2;
  expect_error(ErrorCode::time_limit, "mini-bucket", [&] { mini_bucket_map(graph, options); });
}

}  // namespace
}  // namespace fgnn
