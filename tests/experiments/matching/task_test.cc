#include "fgnn/experiments/matching/task.h"

#include <gtest/gtest.h>

#include <numbers>

#include "fgnn/experiments/matching/evaluate.h"
#include "fgnn/experiments/matching/loss.h"
#include "fgnn/experiments/matching/matcher.h"
#include "fgnn/experiments/registry.h"
#include "tests/experiments/matching/small_data.h"
#include "tests/reference/expect_error.h"

namespace fgnn::matching {
namespace {

using tasks::Stream;
using testing::expect_error;
using testing::small_keypoints;

PointSet line(std::size_t n, std::size_t width) {
  PointSet set;
  for (std::size_t i = 0; i < n; ++i) {
    set.at.push_back({static_cast<double>(i * i), 0});
    for (std::size_t k = 0; k < width; ++k) set.features.push_back(static_cast<float>(i == k));
  }
  return set;
}

TEST(MatchingGraphs, StructuresAreThoseOfTheText) {
  const GraphOptions o{2, {"both", "sides", "each", "near", "cross"}, 3};
  const auto batch = graph_of(o, line(4, 3), line(3, 3));
  const auto schema = schema_of(o);
  const auto& relations = batch.structure->relations();
  ASSERT_EQ(relations.size(), 6u);
  ASSERT_EQ(schema.relations.size(), 6u);
  EXPECT_EQ(batch.structure->variables(), 7u);
  EXPECT_EQ(batch.variable.size(), 7u * 5);
  EXPECT_EQ(batch.variable[2], kFeatureScale);
  EXPECT_EQ(relations[0].factors, 7u * 3);      // each point and its two nearest
  EXPECT_EQ(batch.relations[0].factor[2], -1);  // from point 1 at 1 to point 0 at 0
  EXPECT_EQ(relations[1].factors, 1u);
  EXPECT_EQ(relations[1].edges(), 7u);
  EXPECT_EQ(relations[2].factors, 2u);
  EXPECT_EQ(relations[2].kind,
            (std::vector<network::Index>{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(relations[3].edges(), 7u);
  EXPECT_EQ(relations[4].factors, 7u);
  EXPECT_EQ(relations[4].edges(), 21u);
  EXPECT_EQ(relations[5].factors, 12u);
  EXPECT_EQ(batch.relations[5].factor[0], 1);  // the cosine of the first two
  EXPECT_EQ(batch.relations[5].factor[3], 0);
  const auto back = options_of(schema, 2);
  EXPECT_EQ(back.factors, o.factors);
  EXPECT_EQ(back.feature_width, 3u);
  expect_error(ErrorCode::usage, "does not take pairs of point sets", [] {
    options_of({4, {{"pair", 1, 2, 0}}}, 0);
  });
  expect_error(ErrorCode::usage, "structure of factors", [] {
    GraphOptions{0, {"ring"}, 0}.validate();
  });
  expect_error(ErrorCode::usage, "twice", [] { GraphOptions{0, {"both", "both"}, 0}.validate(); });
  expect_error(ErrorCode::usage, "descriptions of 2 numbers where the network takes 3",
               [&] { graph_of(o, line(3, 2), line(3, 2)); });
}

TEST(MatchingTask, InstancesAreTheSameWhoeverAsks) {
  MatchingOptions o;
  o.turn = 20;
  o.scale = 0.2;
  o.jitter = 0.1;
  o.drop = 0.3;
  const MatchingTask task(o, small_keypoints(40)), other(o, small_keypoints(40));
  for (const auto stream : {Stream::train, Stream::validation, Stream::test}) {
    ASSERT_TRUE(task.has(stream));
    for (const std::uint64_t i : {0u, 7u, 1000u}) {
      const auto a = task.instance(stream, i), b = other.instance(stream, i);
      EXPECT_EQ(a.batch.variable, b.batch.variable);
      EXPECT_EQ(a.classes, b.classes);
      EXPECT_NE(a.batch.variable, task.instance(stream, i + 1).batch.variable);
    }
  }
  EXPECT_EQ(task.schema().variable_features, 2u + 8);
}

TEST(MatchingTask, OnlyTrainingIsDistorted) {
  MatchingOptions o;
  o.drop = 0.5;
  o.turn = 180;
  const MatchingTask task(o, small_keypoints(40));
  const auto zeros = [&](Stream stream) {
    std::size_t none = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
      const auto pair = task.pair(stream, i);
      none += static_cast<std::size_t>(std::ranges::count(pair.first.features, 0.0f));
    }
    return none;
  };
  EXPECT_GT(zeros(Stream::train), 100u);
  EXPECT_EQ(zeros(Stream::test), 0u);
}

TEST(MatchingTask, SettingsSurviveBeingWritten) {
  auto settings = experiments::complete(experiments::find_task("matching"), {});
  settings["data"] = "random";
  settings["factors"] = "both+near";
  settings["turn"] = "12.5";
  settings["nobody"] = "yes";
  const MatchingTask task(matching_options(settings), nullptr);
  auto written = task.settings();
  EXPECT_EQ(written.at("factors"), "both+near");
  EXPECT_EQ(written.at("turn"), "12.5");
  EXPECT_EQ(task.loss(), kMatchingOrNobodyLoss);
  EXPECT_TRUE(task.has(Stream::test));
  EXPECT_EQ(task.schema().variable_features, 2u);
  for (const auto& [key, value] : written) EXPECT_EQ(settings.at(key), value) << key;
  const auto refused = [&](const std::string& key, const std::string& value,
                           const std::string& what) {
    auto wrong = settings;
    wrong[key] = value;
    expect_error(ErrorCode::usage, what, [&] { MatchingTask(matching_options(wrong), nullptr); });
  };
  refused("turn", "200", "turn: must be 0 to 180 degrees");
  refused("drop", "1", "drop: must be");
  refused("held_back", "x", "held_back");
  refused("nobody", "maybe", "nobody");
  refused("protocol", "some", "protocol");
  refused("factors", "ring", "ring");
  settings["data"] = "";
  expect_error(ErrorCode::usage, "task matching: has no data",
               [&] { MatchingTask{matching_options(settings)}; });
}

// The same points twice, a little moved and in another order, described by few of 1024 numbers.
PointPair made_pair(std::size_t n, Rng& random) {
  PointPair p;
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < n; ++i) order.push_back(static_cast<std::int32_t>(i));
  random.shuffle(order);
  std::vector<float> features(n * 1024);
  for (float& f : features)
    f = random.uniform() < 0.1 ? static_cast<float>(0.1 * random.uniform()) : 0;
  for (std::size_t i = 0; i < n; ++i) {
    p.first.at.push_back({random.uniform(-1, 1), random.uniform(-1, 1)});
  }
  p.first.features = features;
  p.partner.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto i = static_cast<std::size_t>(order[j]);
    p.partner[i] = static_cast<std::int32_t>(j);
    p.second.at.push_back({p.first.at[i].x + 0.02 * random.normal(), p.first.at[i].y});
    const auto row = features.begin() + static_cast<std::ptrdiff_t>(i * 1024);
    p.second.features.insert(p.second.features.end(), row, row + 1024);
  }
  return p;
}

TEST(MatchingNetworks, ShippedOnesMatchMadePairs) {
  for (const char* name : {"matching", "mpnn-matching"}) {
    const Matcher matcher(std::string("fgnn:") + name, {}, {});
    EXPECT_FALSE(matcher.scores()->knows_nobody());
    EXPECT_EQ(matcher.scores()->feature_width(), 1024u);
    Rng random(5);
    Tally tally;
    for (int i = 0; i < 20; ++i) {
      const PointPair p = made_pair(8, random);
      tally.add(p, matcher(p.first, p.second).matching);
    }
    EXPECT_GE(tally.accuracy(), 0.9) << name;
  }
}

}  // namespace
}  // namespace fgnn::matching
