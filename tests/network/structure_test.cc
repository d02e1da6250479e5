#include "fgnn/network/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fgnn/network/nearest.h"
#include "fgnn/network/run.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::network {
namespace {

using ::testing::ElementsAre;
using testing::expect_error;

// Factor 0 on variables 2 and 0, factor 1 on 1, factor 2 on 0, 1 and 2; variable 3 is alone.
Relation three_factors() {
  return {3, 3, false, {0, 0, 1, 2, 2, 2}, {2, 0, 1, 0, 1, 2}, {0, 1, 0, 0, 1, 2}};
}

using Arrow = std::tuple<Index, Index, Index>;  // target, source, kind
std::multiset<Arrow> arrows(const Incidence& in) {
  std::multiset<Arrow> all;
  for (std::size_t p = 0; p < in.edges(); ++p) {
    all.insert({in.target(p), in.source(p), in.kind(p)});
  }
  return all;
}

TEST(Structure, WaysFollowTheEdges) {
  const Structure s(4, {three_factors()});
  const auto way = [&](Way w) { return arrows(s.incidence(w, 0)); };
  using All = std::multiset<Arrow>;
  EXPECT_EQ(way(Way::variable_to_factor),
            (All{{0, 2, 0}, {0, 0, 1}, {1, 1, 0}, {2, 0, 0}, {2, 1, 1}, {2, 2, 2}}));
  EXPECT_EQ(way(Way::factor_to_variable),
            (All{{2, 0, 0}, {0, 0, 1}, {1, 1, 0}, {0, 2, 0}, {1, 2, 1}, {2, 2, 2}}));
  EXPECT_EQ(way(Way::variable_to_edge),
            (All{{0, 2, 0}, {1, 0, 0}, {2, 1, 0}, {3, 0, 0}, {4, 1, 0}, {5, 2, 0}}));
  EXPECT_EQ(way(Way::factor_to_edge),
            (All{{0, 0, 0}, {1, 0, 1}, {2, 1, 0}, {3, 2, 0}, {4, 2, 1}, {5, 2, 2}}));
  EXPECT_EQ(way(Way::edge_to_edge),
            (All{{0, 0, 0}, {1, 1, 1}, {2, 2, 0}, {3, 3, 0}, {4, 4, 1}, {5, 5, 2}}));
  EXPECT_EQ(way(Way::edge_to_factor),
            (All{{0, 0, 0}, {0, 1, 1}, {1, 2, 0}, {2, 3, 0}, {2, 4, 1}, {2, 5, 2}}));
  EXPECT_EQ(way(Way::edge_to_variable),
            (All{{2, 0, 0}, {0, 1, 1}, {1, 2, 0}, {0, 3, 0}, {1, 4, 1}, {2, 5, 2}}));
  // To later variables of the same factor; the kind is the factor.
  EXPECT_EQ(way(Way::forward_neighbours), (All{{0, 2, 0}, {1, 0, 2}, {2, 0, 2}, {2, 1, 2}}));
  EXPECT_EQ(way(Way::backward_neighbours), (All{{2, 0, 0}, {0, 1, 2}, {0, 2, 2}, {1, 2, 2}}));
  EXPECT_EQ(
      way(Way::neighbours),
      (All{
          {0, 2, 0}, {2, 0, 0}, {1, 0, 2}, {0, 1, 2}, {2, 0, 2}, {0, 2, 2}, {2, 1, 2}, {1, 2, 2}}));
  EXPECT_EQ(way(Way::variable_to_graph), (All{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}}));
  EXPECT_EQ(way(Way::graph_to_variable), (All{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}));
  EXPECT_EQ(&s.incidence(Way::edge_to_edge, 0), &s.incidence(Way::edge_to_edge, 0));  // kept
}

TEST(Structure, PositionsAndSlotsAreRanksAmongTheEdgesOfANode) {
  Rng rng(3);
  for (int round = 0; round < 60; ++round) {
    const std::size_t variables = 1 + rng.below(8), factors = rng.below(7);
    Relation r{factors, 1, false, {}, {}, {}};
    for (Index c = 0; c < factors; ++c) {
      std::vector<Index> scope(variables);
      std::iota(scope.begin(), scope.end(), Index{0});
      rng.shuffle(scope);
      scope.resize(rng.below(variables + 1));  // some have none
      for (const Index v : scope) {
        r.factor.push_back(c);
        r.variable.push_back(v);
      }
    }
    const auto rank = [](const std::vector<Index>& node, std::size_t e) {
      return static_cast<Index>(
          std::count(node.begin(), node.begin() + static_cast<long>(e), node[e]));
    };
    std::multiset<Arrow> to_position, from_position, to_slot, from_slot;
    Index positions = 1, slots = 1;
    for (Index e = 0; e < r.edges(); ++e) {
      const Index position = rank(r.factor, e), slot = rank(r.variable, e);
      to_position.insert({r.factor[e], e, position});
      from_position.insert({e, r.factor[e], position});
      to_slot.insert({r.variable[e], e, slot});
      from_slot.insert({e, r.variable[e], slot});
      positions = std::max(positions, position + 1);
      slots = std::max(slots, slot + 1);
    }
    const Structure s(variables, {r});
    const auto expect = [&](Way way, const std::multiset<Arrow>& want, std::size_t targets,
                            std::size_t sources, std::size_t kinds) {
      const Incidence& in = s.incidence(way, 0);
      EXPECT_EQ(arrows(in), want);
      EXPECT_EQ(in.targets(), targets);
      EXPECT_EQ(in.sources(), sources);
      EXPECT_EQ(in.kinds(), kinds);
    };
    expect(Way::edge_to_position, to_position, factors, r.edges(), positions);
    expect(Way::position_to_edge, from_position, r.edges(), factors, positions);
    expect(Way::edge_to_slot, to_slot, variables, r.edges(), slots);
    expect(Way::slot_to_edge, from_slot, r.edges(), variables, slots);
  }
}

TEST(Structure, ChecksWhatItIsGiven) {
  const auto make = [](std::size_t variables, std::vector<Relation> relations,
                       std::vector<std::size_t> variable_offset = {},
                       std::vector<std::vector<std::size_t>> factor_offset = {}) {
    return [=] { Structure(variables, relations, variable_offset, factor_offset); };
  };
  EXPECT_NO_THROW(make(4, {three_factors()})());
  EXPECT_NO_THROW(make(4, {three_factors()}, {0, 3, 4}, {{0, 3, 3}})());
  expect_error(ErrorCode::usage, "edge 0: has source 2 of 2", make(2, {three_factors()}));
  auto wrong = three_factors();
  wrong.factors = 2;
  expect_error(ErrorCode::usage, "edge 3: has target 2 of 2", make(4, {wrong}));
  wrong = three_factors();
  wrong.kinds = 2;
  expect_error(ErrorCode::usage, "edge 5: has kind 2 of 2", make(4, {wrong}));
  wrong = three_factors();
  wrong.kind.pop_back();
  expect_error(ErrorCode::usage, "as many targets as sources and kinds", make(4, {wrong}));
  wrong = three_factors();
  std::swap(wrong.factor[1], wrong.factor[2]);
  expect_error(ErrorCode::usage, "relation 1: has edges that are not ordered by factor",
               make(4, {three_factors(), wrong}));
  expect_error(ErrorCode::usage, "variables: have offsets",
               make(4, {three_factors()}, {0, 3}, {{0, 3}}));
  expect_error(ErrorCode::usage, "variables: have offsets",
               make(4, {three_factors()}, {0, 5, 4}, {{0, 1, 3}}));
  expect_error(ErrorCode::usage, "variables: have offsets",
               make(4, {three_factors()}, {1, 4}, {{0, 3}}));
  expect_error(ErrorCode::usage, "factors: have offsets",
               make(4, {three_factors()}, {0, 4}, {{0, 2}}));
  expect_error(ErrorCode::usage, "factors: need offsets", make(4, {three_factors()}, {0, 4}, {}));
  expect_error(ErrorCode::usage, "factors: need as many graphs",
               make(4, {three_factors()}, {0, 2, 4}, {{0, 3}}));
}

std::shared_ptr<const Structure> shared(std::size_t variables, Relation relation) {
  return std::make_shared<const Structure>(variables, std::vector<Relation>{relation});
}

TEST(Structure, JoinPutsGraphsOneAfterAnother) {
  const Relation one{1, 2, false, {0, 0}, {1, 0}, {1, 0}};
  const Relation bare{2, 1, false, {1}, {0}, {}};  // kinds left out
  const std::shared_ptr<const Structure> graphs[] = {shared(2, one), shared(4, three_factors()),
                                                     shared(1, bare)};
  const auto all = Structure::join(graphs);
  EXPECT_EQ(all->graphs(), 3u);
  EXPECT_EQ(all->variables(), 7u);
  EXPECT_THAT(all->variable_offset(), ElementsAre(0, 2, 6, 7));
  EXPECT_THAT(all->factor_offset(0), ElementsAre(0, 1, 4, 6));
  const Relation& r = all->relations()[0];
  EXPECT_EQ(r.factors, 6u);
  EXPECT_EQ(r.kinds, 3u);  // of the model: the same rows for all
  EXPECT_THAT(r.factor, ElementsAre(0, 0, 1, 1, 2, 3, 3, 3, 5));
  EXPECT_THAT(r.variable, ElementsAre(1, 0, 4, 2, 3, 2, 3, 4, 6));
  EXPECT_THAT(r.kind, ElementsAre(1, 0, 0, 1, 0, 0, 1, 2, 0));
  // Joined again, graphs stay apart.
  const std::shared_ptr<const Structure> twice[] = {all, graphs[0]};
  EXPECT_THAT(Structure::join(twice)->variable_offset(), ElementsAre(0, 2, 6, 7, 9));
}

TEST(Structure, JoinKeepsKindsThatBelongToTheGraphsApart) {
  Relation a = three_factors(), b{1, 2, true, {0, 0}, {1, 0}, {1, 0}};
  a.own_kinds = true;
  const std::shared_ptr<const Structure> graphs[] = {shared(4, a), shared(2, b), shared(4, a)};
  const auto all = Structure::join(graphs);
  const Relation& r = all->relations()[0];
  EXPECT_TRUE(r.own_kinds);
  EXPECT_EQ(r.kinds, 3u + 2 + 3);
  EXPECT_THAT(r.kind, ElementsAre(0, 1, 0, 0, 1, 2, 4, 3, 5, 6, 5, 5, 6, 7));
}

TEST(Structure, JoinChecksWhatItIsGiven) {
  expect_error(ErrorCode::usage, "has no graphs", [] { Structure::join({}); });
  const std::shared_ptr<const Structure> graphs[] = {
      shared(4, three_factors()), std::make_shared<const Structure>(2, std::vector<Relation>{})};
  expect_error(ErrorCode::usage, "different numbers of factor types",
               [&] { Structure::join(graphs); });
}

TEST(GraphRows, AreByCopyAndGraph) {
  const std::shared_ptr<const Structure> graphs[] = {
      shared(2, {1, 2, false, {0, 0}, {1, 0}, {1, 0}}), shared(4, three_factors())};
  const auto s = Structure::join(graphs);
  EXPECT_THAT(graph_rows(*s, 2, {Place::variable}), ElementsAre(0, 2, 6, 8, 12));
  EXPECT_THAT(graph_rows(*s, 2, {Place::factor, 0}), ElementsAre(0, 1, 4, 5, 8));
  EXPECT_THAT(graph_rows(*s, 2, {Place::edge, 0}), ElementsAre(0, 2, 8, 10, 16));
  EXPECT_THAT(graph_rows(*s, 2, {Place::graph}), ElementsAre(0, 1, 2, 3, 4));
  for (const Place p : {Place{Place::variable}, Place{Place::factor, 0}, Place{Place::edge, 0}}) {
    EXPECT_EQ(graph_rows(*s, 2, p).back(), rows(*s, 2, p));
  }
}

TEST(Nearest, AreTheSmallestDistancesWithinTheGraph) {
  Rng rng(1);
  const std::shared_ptr<const Structure> graphs[] = {shared(2, {0, 1, false, {}, {}, {}}),
                                                     shared(9, {0, 1, false, {}, {}, {}})};
  const auto s = Structure::join(graphs);
  const std::size_t copies = 2, width = 3, k = 4;
  const auto x = testing::normal_numbers<double>(rng, copies * 11 * width);
  const Incidence in = nearest(*s, copies, x.data(), width, k);
  const auto offset = graph_rows(*s, copies, {Place::variable});
  const auto distance = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t c = 0; c < width; ++c) {
      sum += (x[i * width + c] - x[j * width + c]) * (x[i * width + c] - x[j * width + c]);
    }
    return sum;
  };
  ASSERT_EQ(in.targets(), 22u);
  for (std::size_t g = 0; g + 1 < offset.size(); ++g) {
    for (std::size_t i = offset[g]; i < offset[g + 1]; ++i) {
      std::set<std::size_t> got;
      for (Index p = in.offset(i); p < in.offset(i + 1); ++p) got.insert(in.source(p));
      EXPECT_EQ(got.size(), std::min(k, offset[g + 1] - offset[g]));
      EXPECT_TRUE(got.contains(i));  // itself
      double farthest = 0;
      for (const std::size_t j : got) farthest = std::max(farthest, distance(i, j));
      for (std::size_t j = offset[g]; j < offset[g + 1]; ++j) {
        EXPECT_EQ(got.contains(j), distance(i, j) <= farthest);
      }
    }
  }
}

}  // namespace
}  // namespace fgnn::network
