// Random graphs through every format that can express them.
#include <gtest/gtest.h>

#include <bit>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/io/fgt.h"
#include "fgnn/io/files.h"
#include "fgnn/io/libdai.h"
#include "fgnn/io/uai.h"
#include "fgnn/potentials/potentials.h"
#include "tests/io/reading.h"
#include "tests/reference/random_graph.h"

namespace fgnn::testing {
namespace {

constexpr int kGraphs = 300, kAssignments = 20;

RandomGraphOptions some_options(int trial) {
  RandomGraphOptions options;
  options.max_states = trial % 3 == 0 ? 5 : 3;
  options.binary = trial % 4 == 1;
  options.feasible = trial % 5 != 0;
  return options;
}

// The same scores, to rounding.
void expect_close(Rng& rng, const FactorGraph& before, const FactorGraph& after) {
  ASSERT_EQ(after.num_variables(), before.num_variables());
  for (int i = 0; i < kAssignments; ++i) {
    const std::vector<State> x = random_assignment(rng, before);
    const double expected = before.score(x), got = after.score(x);
    if (expected == kForbidden) {
      EXPECT_EQ(got, kForbidden);
    } else {
      EXPECT_NEAR(got, expected, 1e-9 * std::max(1.0, std::abs(expected)));
    }
  }
}

void expect_identical(Rng& rng, const FactorGraph& before, const FactorGraph& after) {
  ASSERT_TRUE(after.same_structure(before));
  EXPECT_EQ(after.num_potentials(), before.num_potentials());
  EXPECT_EQ(after.constant(), before.constant());
  EXPECT_TRUE(std::ranges::equal(after.unaries(), before.unaries()));
  for (VariableId v = 0; v < before.num_variables(); ++v) EXPECT_EQ(after.name(v), before.name(v));
  for (FactorId c = 0; c < before.num_factors(); ++c) {
    EXPECT_TRUE(after.potential(c).equals(before.potential(c))) << before.potential(c).kind();
    EXPECT_EQ(after.potential_index(c), before.potential_index(c));
  }
  for (int i = 0; i < kAssignments; ++i) {
    const std::vector<State> x = random_assignment(rng, before);
    EXPECT_EQ(after.score(x), before.score(x));
  }
}

TEST(RoundTrip, TheTextFormatKeepsEveryBit) {
  Rng rng(11);
  for (int trial = 0; trial < kGraphs; ++trial) {
    const FactorGraph graph = random_graph(rng, some_options(trial));
    const std::string text = written(write_fgt, graph);
    SCOPED_TRACE(text);
    expect_identical(rng, graph, read_text(read_fgt, text));
  }
}

TEST(RoundTrip, TheTextFormatKeepsArraysAndSharing) {
  Rng rng(12);
  for (int trial = 0; trial < kGraphs; ++trial) {
    GraphBuilder b;
    b.variable("first", 2);
    const auto x = b.variables("x", 2 + rng.below(5), 2);
    b.variables("empty", 0, 2);
    const auto y = b.variables("y", std::vector<State>{2, 2, 3});
    std::vector<PotentialId> shared;
    for (const auto& kind : {"table", "sparse", "low-rank", "max-rank-1", "count", "parity"}) {
      shared.push_back(b.potential(random_potential(rng, kind, {2, 2})));
      b.factor({x[0], y[1]}, shared.back());
    }
    for (int i = 0; i < 6; ++i) {
      b.factor({0, x[rng.below(x.size())]}, shared[rng.below(shared.size())]);
      std::vector<VariableId> scope(x.begin(), x.end());
      if (rng.below(2)) scope.push_back(y[0]);
      if (rng.below(2)) rng.shuffle(scope);
      b.factor(std::span<const VariableId>(scope), Parity(rng.below(2) == 1));
    }
    const FactorGraph graph = std::move(b).build();
    const std::string text = written(write_fgt, graph);
    SCOPED_TRACE(text);
    expect_identical(rng, graph, read_text(read_fgt, text));
  }
}

template <class Write, class Read>
void expect_scores_survive(std::uint64_t seed, Write write, Read read) {
  Rng rng(seed);
  for (int trial = 0; trial < kGraphs; ++trial) {
    const FactorGraph graph = random_graph(rng, some_options(trial));
    const std::string text = written(write, graph);
    SCOPED_TRACE(text);
    expect_close(rng, graph, read_text(read, text));
  }
}

TEST(RoundTrip, UaiKeepsScores) { expect_scores_survive(13, write_uai, read_uai); }

TEST(RoundTrip, LibDaiKeepsScores) { expect_scores_survive(14, write_fg, read_fg); }

// Any double but NaN and plus infinity, most of them strange.
double any_log_value(Rng& rng) {
  const double value = std::bit_cast<double>(rng());
  return std::isnan(value) || value == kInfinity ? kForbidden : value;
}

TEST(RoundTrip, TheTextFormatKeepsStrangeDoubles) {
  Rng rng(15);
  for (int trial = 0; trial < kGraphs; ++trial) {
    GraphBuilder b;
    const auto x = b.variables("x", 2, 3);
    std::vector<double> values(9);
    for (double& value : values) value = any_log_value(rng);
    b.unary(x[0], std::span(values).first(3));
    b.constant(values[3]);
    b.factor(x, Table({3, 3}, values));
    b.factor(x, MaxRankOne({3, 3}, {{values.begin(), values.begin() + 6}}));
    const FactorGraph graph = std::move(b).build();
    const FactorGraph again = read_text(read_fgt, written(write_fgt, graph));
    EXPECT_TRUE(again.potential(0).equals(graph.potential(0)));
    EXPECT_TRUE(again.potential(1).equals(graph.potential(1)));
    EXPECT_TRUE(std::ranges::equal(again.unaries(), graph.unaries()));
    EXPECT_EQ(again.constant(), graph.constant());
  }
}

}  // namespace
}  // namespace fgnn::testing
