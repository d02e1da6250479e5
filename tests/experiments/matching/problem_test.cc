#include "fgnn/experiments/matching/problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "fgnn/experiments/matching/matcher.h"
#include "fgnn/experiments/matching/random_points.h"
#include "fgnn/io/fgt.h"
#include "tests/reference/expect_error.h"

namespace fgnn::matching {
namespace {

using testing::expect_error;

PointPair small_pair(std::uint64_t seed, std::size_t inliers, std::size_t outliers) {
  RandomPointsOptions o;
  o.least_inliers = o.most_inliers = inliers;
  o.least_outliers = o.most_outliers = outliers;
  o.most_turn = 0.2;
  o.most_noise = 0.05;
  Rng random(seed);
  return random_points(o, random);
}

// The score of a matching by the definition.
double score_of(const PointPair& pair, const ProblemOptions& o, const std::vector<State>& x) {
  double sum = 0;
  const auto &p = pair.first.at, &q = pair.second.at;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double dx = p[i].x - q[x[i]].x, dy = p[i].y - q[x[i]].y;
    sum -= o.position * (dx * dx + dy * dy);
    for (std::size_t k = i + 1; k < p.size(); ++k) {
      const double ex = (p[k].x - p[i].x) - (q[x[k]].x - q[x[i]].x);
      const double ey = (p[k].y - p[i].y) - (q[x[k]].y - q[x[i]].y);
      sum += o.edge * std::exp(-(ex * ex + ey * ey) / (2 * o.sigma * o.sigma));
    }
  }
  return sum;
}

TEST(MatchingProblem, ScoresAreThoseOfTheDefinition) {
  const auto pair = small_pair(1, 5, 0);
  ProblemOptions o;
  o.position = 0.7;
  const Problem problem = make_problem(pair.first, pair.second, o);
  std::vector<State> x{0, 1, 2, 3, 4};
  do {
    EXPECT_NEAR(problem.graph.score(x), score_of(pair, o, x), 1e-9);
  } while (std::ranges::next_permutation(x).found);
  EXPECT_EQ(problem.graph.score(std::vector<State>{0, 0, 1, 2, 3}), kForbidden);
}

TEST(MatchingProblem, EveryClassicalMethodFindsAMatchingAndTheExactOneTheBest) {
  const auto pair = small_pair(2, 5, 0);
  const ProblemOptions o = ProblemOptions::unit();
  double best = -kInfinity;
  std::vector<State> x{0, 1, 2, 3, 4};
  do {
    best = std::max(best, score_of(pair, o, x));
  } while (std::ranges::next_permutation(x).found);
  for (const char* method : {"exact", "max-product", "ad3", "ad3-exact", "mplp"}) {
    SCOPED_TRACE(method);
    const auto r = Matcher(method, o, {})(pair.first, pair.second);
    auto partner = r.matching.partner;
    std::ranges::sort(partner);
    EXPECT_EQ(partner, (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
    EXPECT_LE(r.score, best + 1e-9);
    EXPECT_GE(r.bound, best - 1e-6);
    if (std::string(method).find("exact") != std::string::npos) {
      EXPECT_NEAR(r.score, best, 1e-6);
    }
  }
}

TEST(MatchingProblem, SidesOfDifferentSizesAreMatchedFromTheSmaller) {
  auto pair = small_pair(3, 4, 0);
  pair.first.at.push_back({5, 5});
  ProblemOptions o;
  o.position = 1;
  const auto exact = Matcher("exact", o, {})(pair.first, pair.second).matching.partner;
  EXPECT_EQ(std::ranges::count(exact, kNobody), 1);
  EXPECT_EQ(exact[4], kNobody);
  const auto hungarian = Matcher("hungarian", o, {})(pair.first, pair.second).matching.partner;
  EXPECT_EQ(std::ranges::count(hungarian, kNobody), 1);
  EXPECT_EQ(hungarian[4], kNobody);
}

TEST(MatchingProblem, SurvivesBeingWritten) {
  const auto pair = small_pair(4, 4, 1);
  const Problem problem = make_problem(pair.first, pair.second, {});
  std::stringstream text;
  write_fgt(text, problem.graph);
  const FactorGraph again = read_fgt(text, "f");
  const std::vector<State> x{2, 0, 1, 4, 3};
  EXPECT_EQ(again.score(x), problem.graph.score(x));
}

TEST(MatchingProblem, RefusesWhatCannotBeMatched) {
  auto pair = small_pair(5, 3, 0);
  const PointSet one{{{0, 0}}, {}, {}};
  expect_error(ErrorCode::usage, "the first set: has 1 points; matching needs two or more",
               [&] { make_problem(one, pair.second, {}); });
  expect_error(ErrorCode::usage, "points: have no descriptions to compare",
               [&] { make_problem(pair.first, pair.second, ProblemOptions::full()); });
  ProblemOptions wrong;
  wrong.sigma = 0;
  expect_error(ErrorCode::usage, "sigma: must be above 0",
               [&] { make_problem(pair.first, pair.second, wrong); });
  expect_error(ErrorCode::usage, "hungarean", [&] { Matcher("hungarean", {}, {}); });
}

}  // namespace
}  // namespace fgnn::matching
