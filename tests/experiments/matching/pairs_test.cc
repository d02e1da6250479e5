#include "fgnn/experiments/matching/pairs.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "fgnn/experiments/matching/random_points.h"
#include "fgnn/experiments/matching/scores.h"
#include "tests/experiments/matching/small_data.h"
#include "tests/reference/data_folder.h"
#include "tests/reference/expect_error.h"

namespace fgnn::matching {
namespace {

using testing::expect_error;
using testing::small_keypoints;

std::vector<std::size_t> all_of(const KeypointData& data) {
  std::vector<std::size_t> all(data.objects().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TEST(Pairs, PartnersHaveTheSameNameByEveryProtocol) {
  const auto data = small_keypoints();
  for (const auto p : {Protocol::intersection, Protocol::inclusion, Protocol::unfiltered}) {
    const PairSource source(data, all_of(*data), p, 3);
    ASSERT_EQ(source.classes().size(), 2u);
    bool alone = false;
    std::set<std::pair<std::size_t, std::size_t>> drawn;
    for (std::uint64_t i = 0; i < 200; ++i) {
      Rng random(1, i);
      const auto objects = source.objects(static_cast<std::uint32_t>(i % 2), random);
      drawn.emplace(objects.first, objects.second);
      EXPECT_NE(objects.first, objects.second);
      const auto pair = source.points(objects, random);
      ASSERT_EQ(pair.partner.size(), pair.first.size());
      std::size_t common = 0;
      for (std::size_t k = 0; k < pair.first.size(); ++k) {
        const bool known = std::ranges::count(pair.second.names, pair.first.names[k]) == 1;
        EXPECT_EQ(known, pair.partner[k] != kNobody);
        if (!known) continue;
        EXPECT_EQ(pair.first.names[k], pair.second.names[pair.partner[k]]);
        ++common;
      }
      EXPECT_GE(common, 3u);
      if (p == Protocol::intersection) {
        EXPECT_EQ(common, pair.first.size());
        EXPECT_EQ(common, pair.second.size());
      }
      if (p == Protocol::inclusion) {
        EXPECT_EQ(common, pair.first.size());
      }
      alone |= common < pair.first.size() || common < pair.second.size();
    }
    EXPECT_EQ(alone, p != Protocol::intersection);
    EXPECT_GT(drawn.size(), 50u);
  }
}

TEST(Pairs, ClassesWithoutAPairAreLeftOut) {
  const auto data = small_keypoints();
  const PairSource source(data, {0, 1, 12}, Protocol::intersection, 2);
  EXPECT_EQ(source.classes(), (std::vector<std::uint32_t>{0}));
  Rng random;
  expect_error(ErrorCode::usage, "dog: has no two objects that fit the protocol intersection",
               [&] { source.objects(1, random); });
  expect_error(ErrorCode::usage, "is not a protocol", [] { from_word<Protocol>("all"); });
}

TEST(Pairs, ATenthOfTheTrainingObjectsIsHeldBackByPicture) {
  const auto data = small_keypoints(500);
  const auto count = [&](std::uint64_t percent) {
    return std::ranges::count_if(data->objects(),
                                 [&](const auto& o) { return held_back(o, percent); });
  };
  EXPECT_EQ(count(0), 0);
  EXPECT_NEAR(static_cast<double>(count(10)), 100, 30);
  EXPECT_EQ(count(100), 1000);
}

TEST(RandomPoints, InliersCorrespondAfterTurningBack) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    Rng random(5, i);
    RandomPointsOptions o = RandomPointsOptions::test(0, i % 4);
    const auto pair = random_points(o, random);
    ASSERT_EQ(pair.first.size(), 20 + i % 4);
    ASSERT_EQ(pair.second.size(), 20 + i % 4);
    EXPECT_EQ(std::ranges::count(pair.partner, kNobody), static_cast<std::ptrdiff_t>(i % 4));
    if (i % 4 > 0) continue;  // outliers move the centre
    for (std::size_t k = 0; k < pair.first.size(); ++k) {
      const Point a = pair.first.at[k], b = pair.second.at[pair.partner[k]];
      EXPECT_NEAR(std::hypot(a.x, a.y), std::hypot(b.x, b.y), 1e-9);
    }
  }
  RandomPointsOptions wrong;
  wrong.least_noise = -1;
  expect_error(ErrorCode::usage, "noise: must not be negative", [&] { wrong.validate(); });
}

// The README of the data gives 42.5 % for features and 57.7 % for positions, of 1,000 pairs each.
TEST(Pairs, BaselinesOfTheRealDataAreThePublishedOnes) {
  FGNN_SKIP_WITHOUT_DATA("voc");
  const auto data = std::make_shared<const KeypointData>(testing::data_folder() / "voc");
  std::vector<std::size_t> test;
  for (const auto i : all_of(*data)) {
    if (data->objects()[i].test) test.push_back(i);
  }
  const PairSource source(data, test, Protocol::intersection, 2);
  ASSERT_EQ(source.classes().size(), 20u);
  double by_features = 0, by_position = 0;
  for (const auto c : source.classes()) {
    double right[2] = {0, 0}, all = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      Rng random(3, c * 1000 + i);
      const auto pair = source.draw(c, random);
      Scores s[2];
      for (auto& scores : s) scores.first = pair.first.size(), scores.second = pair.second.size();
      const std::size_t w = pair.first.feature_width();
      for (std::size_t a = 0; a < pair.first.size(); ++a) {
        for (std::size_t b = 0; b < pair.second.size(); ++b) {
          double ab = 0, aa = 0, bb = 0;
          for (std::size_t k = 0; k < w; ++k) {
            const double x = pair.first.features[a * w + k], y = pair.second.features[b * w + k];
            ab += x * y, aa += x * x, bb += y * y;
          }
          s[0].match.push_back(ab / std::sqrt(aa * bb));
          const Point p = pair.first.at[a], q = pair.second.at[b];
          s[1].match.push_back(-std::pow(p.x - q.x, 2) - std::pow(p.y - q.y, 2));
        }
      }
      for (int k = 0; k < 2; ++k) {
        const auto found = best_matching(s[k], true).partner;
        for (std::size_t a = 0; a < found.size(); ++a) right[k] += found[a] == pair.partner[a];
      }
      all += static_cast<double>(pair.first.size());
    }
    by_features += right[0] / all / 20;
    by_position += right[1] / all / 20;
  }
  EXPECT_NEAR(by_features, 0.425, 0.015);
  EXPECT_NEAR(by_position, 0.577, 0.015);
}

}  // namespace
}  // namespace fgnn::matching
