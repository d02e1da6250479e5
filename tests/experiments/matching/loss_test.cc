#include "fgnn/experiments/matching/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fgnn/experiments/matching/random_points.h"
#include "fgnn/experiments/matching/scores.h"
#include "tests/reference/differences.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::matching {
namespace {

using testing::expect_error;
using testing::expect_gradient;
using testing::normal_numbers;

// A pair of so many points, some without a partner.
PointPair pair_of(std::size_t first, std::size_t second, std::size_t matched) {
  PointPair p;
  p.first.at.resize(first);
  p.second.at.resize(second);
  p.partner.assign(first, kNobody);
  for (std::size_t i = 0; i < matched; ++i)
    p.partner[i] = static_cast<std::int32_t>(matched - 1 - i);
  return p;
}

Scores random_scores(Rng& rng, std::size_t first, std::size_t second, bool nobody) {
  Scores s{first, second, normal_numbers<double>(rng, first * second), {}, {}};
  if (nobody) {
    s.first_nobody = normal_numbers<double>(rng, first);
    s.second_nobody = normal_numbers<double>(rng, second);
  }
  return s;
}

// The largest sum over all one-to-one matchings, by trying them.
double best_sum(const Scores& s, std::size_t row, std::vector<bool>& taken, bool plain,
                const LogShares& shares) {
  const bool nobody = !s.first_nobody.empty();
  if (row == s.first) {
    double rest = 0;
    for (std::size_t j = 0; nobody && j < s.second; ++j) {
      if (!taken[j]) rest += shares.column_nobody[j];
    }
    return rest;
  }
  double best = -1e300;
  std::size_t left = 0;
  for (std::size_t j = 0; j < s.second; ++j) {
    if (taken[j]) continue;
    ++left;
    taken[j] = true;
    const std::size_t at = row * s.second + j;
    const double own = plain ? s.match[at] : shares.row[at] + shares.column[at];
    best = std::max(best, own + best_sum(s, row + 1, taken, plain, shares));
    taken[j] = false;
  }
  if (nobody || s.first - row > left) {
    best = std::max(
        best, (nobody ? shares.row_nobody[row] : 0) + best_sum(s, row + 1, taken, plain, shares));
  }
  return best;
}

TEST(Scores, TheBestMatchingIsThatOfEnumeration) {
  Rng rng(2);
  for (int round = 0; round < 60; ++round) {
    const bool nobody = round % 3 == 0, plain = !nobody && round % 2 == 0;
    const Scores s = random_scores(rng, 1 + rng.below(4), 1 + rng.below(4), nobody);
    const LogShares shares = log_shares(s);
    const Matching m = best_matching(s, plain);
    std::vector<bool> taken(s.second);
    double sum = 0;
    std::size_t matched = 0;
    for (std::size_t i = 0; i < s.first; ++i) {
      if (m.partner[i] == kNobody) {
        if (nobody) sum += shares.row_nobody[i];
        continue;
      }
      const auto j = static_cast<std::size_t>(m.partner[i]);
      EXPECT_FALSE(taken[j]);
      taken[j] = true;
      ++matched;
      const std::size_t at = i * s.second + j;
      sum += plain ? s.match[at] : shares.row[at] + shares.column[at];
      EXPECT_NEAR(m.probability[i], std::exp((shares.row[at] + shares.column[at]) / 2), 1e-12);
    }
    for (std::size_t j = 0; nobody && j < s.second; ++j) {
      if (!taken[j]) sum += shares.column_nobody[j];
    }
    if (!nobody) {
      EXPECT_EQ(matched, std::min(s.first, s.second));
    }
    std::vector<bool> none(s.second);
    EXPECT_NEAR(sum, best_sum(s, 0, none, plain, shares), 1e-9);
  }
}

TEST(Scores, SharesOfALineAddUpToOne) {
  Rng rng(3);
  for (const bool nobody : {false, true}) {
    const Scores s = random_scores(rng, 3, 5, nobody);
    const LogShares shares = log_shares(s);
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = nobody ? std::exp(shares.row_nobody[i]) : 0;
      for (std::size_t j = 0; j < 5; ++j) sum += std::exp(shares.row[i * 5 + j]);
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = nobody ? std::exp(shares.column_nobody[j]) : 0;
      for (std::size_t i = 0; i < 3; ++i) sum += std::exp(shares.column[i * 5 + j]);
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(MatchingLoss, GradientsAreThoseOfDifferences) {
  Rng rng(4);
  for (const auto loss : {kMatchingLoss, kMatchingOrNobodyLoss}) {
    const auto labels = labels_of(pair_of(4, 5, 3));
    constexpr std::size_t kWidth = 6;
    auto rows = normal_numbers<double>(rng, 9 * kWidth);
    tasks::Metrics measured;
    std::vector<double> gradient(rows.size(), 777);
    loss->graph({rows, kWidth, labels, {}}, measured, gradient);
    const auto value = [&] {
      tasks::Metrics m;
      loss->graph({rows, kWidth, labels, {}}, m, {});
      return m.loss;
    };
    EXPECT_DOUBLE_EQ(measured.loss, value());
    expect_gradient(rows, gradient, value, "rows", rng, rows.size());
  }
}

TEST(MatchingLoss, CountsWhatIsFound) {
  // Unit vectors that say who belongs to whom: the first two are swapped.
  const auto labels = labels_of(pair_of(3, 4, 2));
  EXPECT_EQ(labels, (std::vector<std::int64_t>{4, 3, -1, 1, 0, -2, -2}));
  std::vector<double> rows(7 * 4);
  const auto set = [&](std::size_t row, std::size_t column, double value) {
    rows[row * 4 + column] = value;
  };
  set(0, 0, 4), set(4, 0, 4), set(1, 1, 4), set(3, 1, 4);  // right
  set(2, 3, 4), set(5, 3, 4), set(6, 3, 4);                // alone, by the last column
  tasks::Metrics m;
  kMatchingOrNobodyLoss->graph({rows, 4, labels, {}}, m, {});
  EXPECT_EQ(m.rows, 3);
  EXPECT_EQ(m.correct, 3);
  ASSERT_EQ(m.named.size(), 1u);
  EXPECT_EQ(m.named[0].name, "F1");
  EXPECT_EQ(m.named[0].value(), 1);
  tasks::Metrics without;
  kMatchingLoss->graph({rows, 4, labels, {}}, without, {});
  EXPECT_EQ(without.rows, 2);
  EXPECT_EQ(without.correct, 2);
}

TEST(MatchingLoss, LabelsThatAreNoPairAreRefused) {
  const std::vector<double> rows(8);
  for (const std::vector<std::int64_t>& labels :
       {std::vector<std::int64_t>{2, 3, 1, 0}, std::vector<std::int64_t>{7, -1, -2, -2},
        std::vector<std::int64_t>{2, 2, 0, 1}, std::vector<std::int64_t>{-2, -1, -1, -2}}) {
    tasks::Metrics m;
    expect_error(ErrorCode::usage, "labels: are not those of a pair", [&] {
      kMatchingLoss->graph({rows, 2, labels, {}}, m, {});
    });
  }
}

}  // namespace
}  // namespace fgnn::matching
