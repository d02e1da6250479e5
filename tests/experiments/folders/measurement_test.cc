#include "fgnn/experiments/folders/measurement.h"

#include <gtest/gtest.h>

#include "fgnn/experiments/folders/tables.h"

namespace fgnn::folders {
namespace {

Measurement map_of(const std::string& family, const std::string& model, const std::string& method,
                   double score, const std::string& status = "time_limit") {
  Measurement m;
  m.model = model;
  m.family = family;
  m.method = method;
  m.answered = score != kForbidden;
  m.status = status;
  m.score = score;
  m.seconds = 2;
  return m;
}

TEST(FolderMeasurements, GoThroughJsonAndBack) {
  Measurement m = map_of("a", "a_1", "auto", -3.25);
  m.note = "said \"so\"";
  m.answerer = "search";
  m.known_score = -3;
  m.log10_z = 1.5;
  m.marginal_error = 0.25;
  m.reference = "files";
  for (const double score : {-3.25, kForbidden}) {
    m.score = score;
    const Json json = Json::parse(to_json(m).dump());
    const Measurement back = from_json(json);
    EXPECT_EQ(to_json(back), to_json(m));
    EXPECT_EQ(back.score, m.score);
    EXPECT_EQ(back.bound, kInfinity);
    EXPECT_EQ(back.known_score, m.known_score);
    EXPECT_FALSE(back.z_error);
  }
  EXPECT_THROW(from_json(Json::object()), nlohmann::json::exception);
  EXPECT_THROW(from_json(Json::parse("[1]")), nlohmann::json::exception);
}

TEST(FolderMeasurements, AreJudgedByTheBestScoreOfAllMethodsAndFiles) {
  std::vector<Measurement> all{map_of("a", "a_1", "one", 10, "exact"),
                               map_of("a", "a_1", "two", 8),
                               map_of("a", "a_2", "one", kForbidden, "too_wide"),
                               map_of("a", "a_2", "two", 5),
                               map_of("b", "b_1", "one", -4),
                               map_of("b", "b_1", "two", -4 + 1e-7)};
  all[3].known_score = 6;
  all[5].bound = -1;
  EXPECT_EQ(best_scores(all), (std::vector<double>{10, 10, 6, 6, -4 + 1e-7, -4 + 1e-7}));
  const auto rows = by_family(all);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].family + rows[0].method, "aone");
  EXPECT_EQ(rows[0].models, 2u);
  EXPECT_EQ(rows[0].answered, 1u);
  EXPECT_EQ(rows[0].proved, 1u);
  EXPECT_EQ(rows[0].best, 1u);
  EXPECT_EQ(rows[0].gap, 0);
  EXPECT_EQ(rows[1].family + rows[1].method, "atwo");
  EXPECT_DOUBLE_EQ(*rows[1].gap, 1.5);
  EXPECT_DOUBLE_EQ(*rows[1].percent_gap, (20 + 100.0 / 6) / 2);
  EXPECT_EQ(rows[2].best, 1u) << "a difference by rounding";
  EXPECT_EQ(rows[3].best, 1u);
  EXPECT_NEAR(*rows[3].bound_gap, 3, 1e-6);
  EXPECT_EQ(rows[4].family, "all");
  EXPECT_EQ(rows[4].models, 3u);
  EXPECT_EQ(rows[4].best, 2u);
  EXPECT_DOUBLE_EQ(rows[4].seconds, 2);
}

TEST(FolderMeasurements, OneFamilyHasNoRowOfAll) {
  EXPECT_EQ(by_family({map_of("a", "a_1", "one", 1)}).size(), 1u);
  EXPECT_TRUE(by_family({}).empty());
}

TEST(FolderMeasurements, MeansOfErrorsAreOverModelsThatHaveThem) {
  std::vector<Measurement> all(3, map_of("a", "a_1", "one", kForbidden));
  all[1].model = "a_2";
  all[2].model = "a_3";
  all[0].marginal_error = 0.1;
  all[1].marginal_error = 0.3;
  all[1].z_error = 2;
  all[0].reference = all[1].reference = "files";
  const auto row = by_family(all)[0];
  EXPECT_EQ(row.referenced, 2u);
  EXPECT_DOUBLE_EQ(*row.marginal_error, 0.2);
  EXPECT_DOUBLE_EQ(*row.z_error, 2);
  EXPECT_FALSE(row.gap);
}

TEST(FolderTables, TellWhyThereIsNoAnswerAndEscapeItOnAPage) {
  std::vector<Measurement> all{map_of("a", "a_1", "one", 3, "exact"),
                               map_of("a", "a_1", "two", kForbidden, "too_wide")};
  all[1].note = "width <30>";
  Shown shown;
  EXPECT_EQ(text(all, shown).find("width"), std::string::npos);
  shown.details = true;
  EXPECT_NE(text(all, shown).find("width <30>"), std::string::npos);
  const std::string html = page(all, shown);
  EXPECT_NE(html.find("width &lt;30&gt;"), std::string::npos);
  const Json whole = Json::parse(json(all, shown));
  EXPECT_EQ(whole.at("rows").size(), 2u);
  EXPECT_EQ(whole.at("models").size(), 2u);
  EXPECT_TRUE(whole.at("time_limit").is_null());
  EXPECT_TRUE(whole.at("models")[1].at("score").is_null());
}

}  // namespace
}  // namespace fgnn::folders
