#include "fgnn/kernels/incidence.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/reference/expect_error.h"
#include "tests/reference/message.h"

namespace fgnn::kernels {
namespace {

using testing::Edges;
using testing::expect_error;
using testing::random_edges;

// Every statement of the header about the layout.
void expect_sound(const Edges& edges, const Incidence& in, std::size_t block_edges) {
  ASSERT_EQ(in.targets(), edges.targets);
  ASSERT_EQ(in.sources(), edges.sources);
  ASSERT_EQ(in.kinds(), edges.kinds);
  ASSERT_EQ(in.edges(), edges.size());
  std::vector<int> seen(edges.size());
  std::size_t largest = 0;
  for (std::size_t t = 0; t < in.targets(); ++t) {
    largest = std::max<std::size_t>(largest, in.offset(t + 1) - in.offset(t));
    for (Index p = in.offset(t); p < in.offset(t + 1); ++p) {
      const Index e = in.edge(p);
      ++seen[e];
      EXPECT_EQ(in.target(p), t);
      EXPECT_EQ(edges.target[e], t);
      EXPECT_EQ(in.source(p), edges.source[e]);
      EXPECT_EQ(in.kind(p), edges.kind.empty() ? 0 : edges.kind[e]);
      if (p > in.offset(t)) {
        EXPECT_LT(in.edge(p - 1), e);  // in the order given
      }
    }
  }
  EXPECT_EQ(largest, in.largest_degree());
  EXPECT_EQ(seen, std::vector<int>(edges.size(), 1));

  Index target = 0, position = 0;
  for (const auto& block : in.blocks()) {  // one after another, whole targets
    EXPECT_EQ(block.first_target, target);
    EXPECT_LT(block.first_target, block.last_target);
    EXPECT_EQ(block.first_position, position);
    EXPECT_EQ(block.first_position, in.offset(block.first_target));
    EXPECT_EQ(block.last_position, in.offset(block.last_target));
    if (block.last_target - block.first_target > 1) {
      EXPECT_LE(block.last_position - block.first_position, block_edges);
    }
    target = block.last_target;
    position = block.last_position;
  }
  EXPECT_EQ(target, edges.targets);
  EXPECT_EQ(position, edges.size());
}

void expect_runs_by_kind(const Incidence& in) {
  for (const auto& block : in.blocks()) {
    std::set<Index> kinds, positions;
    std::set<std::size_t> rows;
    Index at = block.first_position;
    for (const auto& run : in.runs(block)) {
      EXPECT_TRUE(kinds.insert(run.kind).second) << "kind " << run.kind << " has two runs";
      EXPECT_EQ(run.begin, at);
      at = run.end;
      for (Index i = run.begin; i < run.end; ++i) {
        EXPECT_EQ(in.kind(in.ordered(i)), run.kind);
        positions.insert(in.ordered(i));
      }
    }
    EXPECT_EQ(at, block.last_position);
    const std::size_t size = block.last_position - block.first_position, copies = 3;
    EXPECT_EQ(positions.size(), size);
    for (const Index p : positions) {
      EXPECT_GE(p, block.first_position);
      EXPECT_LT(p, block.last_position);
      for (std::size_t c = 0; c < copies; ++c) rows.insert(in.row(p, copies, c));
    }
    EXPECT_EQ(rows.size(), size * copies);
    if (!rows.empty()) {
      EXPECT_EQ(*rows.rbegin(), size * copies - 1);
    }
  }
}

void expect_leaving(const Incidence& in) {
  std::size_t edges = 0;
  for (std::size_t s = 0; s < in.sources(); ++s) {
    for (const Index p : in.leaving(s)) EXPECT_EQ(in.source(p), s);
    edges += in.leaving(s).size();
  }
  EXPECT_EQ(edges, in.edges());
}

// Whether two blocks share a source, by looking.
bool shares_sources(const Incidence& in) {
  std::set<Index> before;
  for (const auto& block : in.blocks()) {
    std::set<Index> mine;
    for (Index p = block.first_position; p < block.last_position; ++p) mine.insert(in.source(p));
    for (const Index s : mine) {
      if (!before.insert(s).second) return true;
    }
  }
  return false;
}

TEST(Incidence, BlocksCoverAllTargetsOnceAndRunsAreByKind) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const Edges edges =
        random_edges(rng, 2 + rng.below(20), 1 + rng.below(20), 1 + rng.below(4), rng.below(80));
    const std::size_t block_edges = 1 + rng.below(40);
    const Incidence in = edges.incidence(block_edges);
    expect_sound(edges, in, block_edges);
    expect_runs_by_kind(in);
    expect_leaving(in);
    EXPECT_EQ(in.closed(), !shares_sources(in));
  }
}

TEST(Incidence, TargetsWithoutEdgesAndNothingAtAll) {
  const Edges none{3, 2, 1, {}, {}, {}};
  expect_sound(none, none.incidence(), 512);
  EXPECT_TRUE(none.incidence().closed());
  const Edges nothing{0, 0, 1, {}, {}, {}};
  EXPECT_TRUE(nothing.incidence().blocks().empty());
}

TEST(Incidence, WithoutKindsAllAreZero) {
  const Edges edges{2, 2, 1, {0, 1, 1}, {0, 0, 1}, {}};
  const Incidence in = edges.incidence();
  expect_sound(edges, in, 512);
  EXPECT_EQ(in.runs(in.blocks()[0]).size(), 1u);
}

// A target of more edges than a block holds is a block of its own.
TEST(Incidence, LargeTargetsStayWhole) {
  Edges edges{3, 5, 2, {}, {}, {}};
  for (Index e = 0; e < 40; ++e) {
    edges.target.push_back(e < 2 ? 0 : e < 38 ? 1 : 2);
    edges.source.push_back(e % 5);
    edges.kind.push_back(e % 2);
  }
  const Incidence in = edges.incidence(8);
  expect_sound(edges, in, 8);
  EXPECT_EQ(in.blocks().size(), 3u);
  EXPECT_EQ(in.largest_degree(), 36u);
}

// Chains of `length` targets, each with two sources shared with its neighbours.
Edges chains(std::size_t graphs, Index length) {
  Edges edges{graphs * length, graphs * (length + 1), 2, {}, {}, {}};
  for (Index g = 0; g < graphs; ++g) {
    for (Index t = 0; t < length; ++t) {
      for (Index k = 0; k < 2; ++k) {
        edges.target.push_back(g * length + t);
        edges.source.push_back(g * (length + 1) + t + k);
        edges.kind.push_back(k);
      }
    }
  }
  return edges;
}

TEST(Incidence, UnionsOfSmallGraphsAreClosed) {
  const Edges edges = chains(50, 7);  // 14 edges each
  for (const std::size_t block : {14u, 20u, 64u, 512u}) {
    const Incidence in = edges.incidence(block);
    expect_sound(edges, in, block);
    EXPECT_TRUE(in.closed()) << block;
    EXPECT_FALSE(shares_sources(in));
    for (const auto& b : in.blocks()) EXPECT_EQ(b.last_target % 7, 0u);  // cut between graphs
  }
  EXPECT_EQ(edges.incidence(64).blocks().size(), 13u);  // four graphs fit each
  EXPECT_FALSE(edges.incidence(13).closed());           // no graph fits
}

TEST(Incidence, OneLargeGridIsNotClosed) {
  const Index side = 30;
  Edges edges{side * side, side * side, 5, {}, {}, {}};
  for (Index i = 0; i < side; ++i) {
    for (Index j = 0; j < side; ++j) {
      const auto add = [&](Index k, Index di, Index dj) {
        const Index a = i + di - 1, b = j + dj - 1;
        if (a >= side || b >= side) return;
        edges.target.push_back(i * side + j);
        edges.source.push_back(a * side + b);
        edges.kind.push_back(k);
      };
      add(0, 1, 1), add(1, 0, 1), add(2, 2, 1), add(3, 1, 0), add(4, 1, 2);
    }
  }
  const Incidence in = edges.incidence();
  expect_sound(edges, in, 512);
  expect_runs_by_kind(in);
  EXPECT_FALSE(in.closed());
  EXPECT_GT(in.blocks().size(), 8u);
  EXPECT_TRUE(edges.incidence(edges.size()).closed());  // one block holds all
}

TEST(Incidence, ErrorsNameTheEdge) {
  const auto make = [](Edges edges) { return [edges] { edges.incidence(); }; };
  expect_error(ErrorCode::usage, "edge 1: has target 2 of 2",
               make({2, 2, 2, {0, 2}, {0, 1}, {0, 1}}));
  expect_error(ErrorCode::usage, "edge 0: has source 7 of 2",
               make({2, 2, 2, {0, 1}, {7, 1}, {0, 1}}));
  expect_error(ErrorCode::usage, "edge 1: has kind 2 of 2",
               make({2, 2, 2, {0, 1}, {0, 1}, {0, 2}}));
  expect_error(ErrorCode::usage, "edge 0: has kind 0 of 0", make({2, 2, 0, {0, 1}, {0, 1}, {}}));
  expect_error(ErrorCode::usage, "as many targets as sources",
               make({2, 2, 2, {0, 1}, {0}, {0, 1}}));
  expect_error(ErrorCode::usage, "kinds", make({2, 2, 2, {0, 1}, {0, 1}, {0}}));
}

}  // namespace
}  // namespace fgnn::kernels
