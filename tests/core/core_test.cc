#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/log_math.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/random.h"

namespace fgnn {
namespace {

TEST(Error, IsOneLineWithSubjectAndHint) {
  const Error e(ErrorCode::format, "a.uai:3:7", "expected a number", "see docs/formats.md");
  EXPECT_STREQ(e.what(), "a.uai:3:7: expected a number; see docs/formats.md");
  EXPECT_EQ(e.subject(), "a.uai:3:7");
  EXPECT_EQ(e.hint(), "see docs/formats.md");
  EXPECT_EQ(exit_code(e.code()), 4);
  EXPECT_EQ(name(ErrorCode::too_wide), "too_wide");
  EXPECT_EQ(exit_code(ErrorCode::too_wide), 10);
  EXPECT_STREQ(Error(ErrorCode::io, "", "disk full").what(), "disk full");
}

TEST(LogMath, MinusInfinityIsAnOrdinaryValue) {
  EXPECT_EQ(log_add(kForbidden, kForbidden), kForbidden);
  EXPECT_EQ(log_add(kForbidden, 3), 3);
  EXPECT_NEAR(log_add(1, 2), std::log(std::exp(1) + std::exp(2)), 1e-15);
  EXPECT_EQ(log_sum_exp({}), kForbidden);
  EXPECT_EQ(log_sum_exp(std::vector<double>{kForbidden, kForbidden}), kForbidden);
  EXPECT_NEAR(log_sum_exp(std::vector<double>{1000, 1000, kForbidden}), 1000 + std::log(2), 1e-12);
  std::vector<double> p{-1e5, -1e5, kForbidden};
  EXPECT_NEAR(normalize_exp(p), -1e5 + std::log(2), 1e-10);
  EXPECT_NEAR(p[0], 0.5, 1e-10);
  EXPECT_EQ(p[2], 0);
  std::vector<double> none{kForbidden};
  EXPECT_EQ(normalize_exp(none), kForbidden);
  EXPECT_EQ(none[0], 0);
}

TEST(Rng, StreamsAreReproducibleAndDiffer) {
  Rng a(1, 0), same(1, 0), stream(1, 1), seed(2, 0);
  const auto first = a();
  EXPECT_EQ(first, same());
  EXPECT_NE(first, stream());
  EXPECT_NE(first, seed());
  EXPECT_EQ(Rng(0)(), Rng(0, 0)());
}

TEST(Rng, NeighbouringSeedsAndStreamsShareNothing) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      Rng rng(seed, stream);
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(seen.insert(rng()).second);
    }
  }
}

TEST(Rng, MomentsAreRight) {
  Rng rng(3);
  double sum = 0, squares = 0, uniform = 0;
  const int n = 200000;
  std::vector<int> seen(7, 0);
  for (int i = 0; i < n; ++i) {
    const double z = rng.normal();
    sum += z;
    squares += z * z;
    uniform += rng.uniform(2, 4);
    ++seen[rng.below(7)];
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(uniform / n, 3, 0.01);
  for (int count : seen) EXPECT_NEAR(count, n / 7.0, 600);
  std::vector<int> order(10);
  std::iota(order.begin(), order.end(), 0);
  rng.shuffle(order);
  EXPECT_EQ(std::accumulate(order.begin(), order.end(), 0), 45);
}

TEST(Parallel, CoversEveryIndexOnce) {
  for (int threads : {1, 2, 3, 8, 0}) {
    for (std::size_t count : {0u, 1u, 7u, 1000u}) {
      std::vector<std::atomic<int>> hits(count);
      parallel_for(threads, count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++hits[i];
      });
      for (const auto& h : hits) EXPECT_EQ(h, 1);
    }
  }
}

TEST(Parallel, SmallLoopsAndNestedLoopsStayOnTheirThread) {
  int calls = 0;
  parallel_for(4, 100, 1000, [&](std::size_t begin, std::size_t end) {
    ++calls;
    EXPECT_EQ(end - begin, 100u);
  });
  EXPECT_EQ(calls, 1);
  std::atomic<int> inner = 0;
  parallel_for(2, 2, 1, [&](std::size_t, std::size_t) {
    parallel_for(2, 10, 1, [&](std::size_t begin, std::size_t end) { inner += int(end - begin); });
  });
  EXPECT_EQ(inner, 20);
}

TEST(Parallel, ExceptionsReachTheCaller) {
  const auto fail = [](std::size_t begin, std::size_t) {
    if (begin > 0) throw std::runtime_error("in a worker");
  };
  EXPECT_THROW(parallel_for(2, 2, 1, fail), std::runtime_error);
  int after = 0;
  parallel_for(1, 3, 1, [&](std::size_t, std::size_t end) { after = int(end); });
  EXPECT_EQ(after, 3);
}

}  // namespace
}  // namespace fgnn
