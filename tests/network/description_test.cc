#include "fgnn/network/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::network {
namespace {

using ::testing::ElementsAre;
using testing::expect_error;
using ::testing::Pair;
using testing::Scratch;

TEST(ParseNetwork, ItemsFollowOneAnother) {
  const auto items = parse_network("FC(64) - 8*FGNN(32) -Out( 2 )");
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].name, "FC");
  EXPECT_THAT(items[0].arguments, ElementsAre("64"));
  EXPECT_EQ(items[0].times, 1u);
  EXPECT_EQ(items[0].column, 1u);
  EXPECT_EQ(items[1].name, "FGNN");
  EXPECT_EQ(items[1].times, 8u);
  EXPECT_FALSE(items[1].tied);
  EXPECT_EQ(items[1].column, 12u);
  EXPECT_EQ(items[2].name, "Out");
  EXPECT_THAT(items[2].arguments, ElementsAre("2"));
}

TEST(ParseNetwork, OptionsStandBehindTheWidth) {
  const auto items = parse_network("FGNN(64, q=mixture, aggregate=max+sum , temperature = 0.5)");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_THAT(items[0].arguments, ElementsAre("64"));
  EXPECT_THAT(items[0].options, ElementsAre(Pair("aggregate", "max+sum"), Pair("q", "mixture"),
                                            Pair("temperature", "0.5")));
}

TEST(ParseNetwork, GroupsAndRepeatsNest) {
  const auto items = parse_network("3@[FC(4) - Res[2*FGNN(4)]] - Pool()");
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].name, "");
  EXPECT_TRUE(items[0].tied);
  EXPECT_EQ(items[0].times, 3u);
  ASSERT_EQ(items[0].inside.size(), 2u);
  EXPECT_EQ(items[0].inside[1].name, "Res");
  ASSERT_EQ(items[0].inside[1].inside.size(), 1u);
  EXPECT_EQ(items[0].inside[1].inside[0].times, 2u);
  EXPECT_FALSE(items[0].inside[1].inside[0].tied);
  EXPECT_TRUE(items[1].arguments.empty());
}

TEST(ParseNetwork, ErrorsNameTheColumn) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "network, column 1: a name or number is missing"},
      {"   ", "column 4: a name or number is missing"},
      {"FC", "column 3: '(' is missing"},
      {"FC(64", "column 6: ')' is missing"},
      {"FC(64) -", "column 9: a name or number is missing"},
      {"FC(64) - - Out(2)", "column 10: a name or number is missing"},
      {"FC(64) Out(2)", "column 8: 'O' was not expected"},
      {"FC(3))", "column 6: ')' was not expected"},
      {"FC(3,)", "column 6: a name or number is missing"},
      {"FC(q=)", "column 6: a name or number is missing"},
      {"FC(3 4)", "column 6: ')' is missing"},
      {"0*FC(3)", "column 2: a number of times is out of range"},
      {"1001*FC(3)", "column 5: a number of times is out of range"},
      {"99999999999999999999999*FC(3)", "a number of times is out of range"},
      {"2.5*FC(3)", "column 4: a number of times is not a number"},
      {"2 FC(3)", "column 3: '*' is missing"},
      {"FGNN[FC(3)]", "column 6: only Res and Cat take brackets"},
      {"Res[FC(3)", "column 10: ']' is missing"},
      {"Res[]", "column 5: a name or number is missing"},
      {"FC(3) - \xc3\xa4(4)", "column 9"},
  };
  for (const auto& [text, error] : wrong) {
    expect_error(ErrorCode::format, error, [&text = text] { parse_network(text); });
  }
}

TEST(ParseNetwork, BracketsInsideEachOtherEnd) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "FC(3)" + std::string(depth, ']');
  };
  EXPECT_NO_THROW(parse_network(nested(16)));
  expect_error(ErrorCode::format, "column 18: too many brackets",
               [&] { parse_network(nested(17)); });
  expect_error(ErrorCode::format, "too many brackets", [&] { parse_network(nested(1'000'000)); });
}

Description parse(const std::string& json) { return Description::parse(json, "net.json"); }

TEST(Description, IsReadFromJson) {
  const auto d = parse(R"json({
    // what every layer has in common
    "network": "FC(64) - Out(2)",
    "fgnn": {"q": "table", "aggregate": ["max", "sum"], "update": false, "residual": true,
             "bases": 16, "temperature": 0.5},
    "schema": {"variable_features": 2,
               "relations": [{"name": "pair", "factor_features": 4, "kinds": 2, "edge_features": 3},
                             {"name": "budget"}]}
  })json");
  EXPECT_EQ(d.network, "FC(64) - Out(2)");
  EXPECT_THAT(d.defaults, ElementsAre(Pair("aggregate", "max+sum"), Pair("bases", "16"),
                                      Pair("q", "table"), Pair("residual", "yes"),
                                      Pair("temperature", "0.5"), Pair("update", "no")));
  EXPECT_EQ(d.schema.variable_features, 2u);
  ASSERT_EQ(d.schema.relations.size(), 2u);
  EXPECT_EQ(d.schema.relations[0].name, "pair");
  EXPECT_EQ(d.schema.relations[0].factor_features, 4u);
  EXPECT_EQ(d.schema.relations[0].kinds, 2u);
  EXPECT_EQ(d.schema.relations[0].edge_features, 3u);
  EXPECT_EQ(d.schema.relations[1].kinds, 1u);
  EXPECT_EQ(d.schema.relations[1].factor_features, 0u);
  // And back.
  const auto again = parse(d.json());
  EXPECT_EQ(again.network, d.network);
  EXPECT_EQ(again.defaults, d.defaults);
  EXPECT_EQ(again.json(), d.json());
}

TEST(Description, GraphsOfOneSizeSayWhich) {
  const std::string text = R"json({"network": "GraphConv(4)", "schema": {"variables": 48}})json";
  EXPECT_EQ(parse(text).schema.variables, 48u);
  EXPECT_EQ(parse(parse(text).json()).schema.variables, 48u);
  // Others say nothing, as before there were any.
  EXPECT_EQ(parse(R"json({"network": "FC(4)"})json").json().find("variables"), std::string::npos);
}

TEST(Description, LayersMayBeLongerThanAnyFileName) {
  std::string layers = "FC(8)";
  while (layers.size() < 6000) layers += " - FC(8)";
  EXPECT_EQ(describe(layers + " - Out(2)").network, layers + " - Out(2)");
}

TEST(Description, ErrorsNameTheSubject) {
  const std::pair<std::string, const char*> wrong[] = {
      {"FC(64)", "net.json:1:1: is not JSON from 'FC(64)' on"},
      {"", "net.json:1:1: the JSON ends too early"},
      {"[]", "net.json: has no \"network\""},
      {"{}", "net.json: has no \"network\""},
      {R"json({"network": 3})json", "net.json: has no \"network\""},
      {R"json({"network": "FC(3)", "layers": 4})json", "net.json: has an unknown entry \"layers\""},
      {R"json({"network": "FC(3)", "fgnn": [1]})json", "net.json: has an unknown entry \"fgnn\""},
      {R"json({"network": "FC(3)", "fgnn": {"q": null}})json",
       "net.json: has an option that is not text"},
      {R"json({"network": "FC(3)", "fgnn": {"q": {"a": 1}}})json",
       "net.json: has an option that is not text"},
      {R"json({"network": "FC(3)", "fgnn": {"m": [[1, 2], 3]}})json",
       "net.json: has a list inside"},
      {R"json({"network": "FC(3)", "schema": 7})json", "net.json: schema is not an object"},
      {R"json({"network": "FC(3)", "schema": {"variable_features": -1}})json",
       "net.json: variable_features is not a small whole number"},
      {R"json({"network": "FC(3)", "schema": {"variable_features": 1.5}})json",
       "net.json: variable_features is not a small whole number"},
      {R"json({"network": "FC(3)", "schema": {"variable_features": 99999999}})json",
       "net.json: variable_features is not a small whole number"},
      {R"json({"network": "FC(3)", "schema": {"variables": "many"}})json",
       "net.json: variables is not a small whole number"},
      {R"json({"network": "FC(3)", "schema": {"relations": {}}})json",
       "net.json: schema.relations is not a list"},
      {R"json({"network": "FC(3)", "schema": {"relations": [{}]}})json",
       "net.json: a relation has no name"},
      {R"json({"network": "FC(3)", "schema": {"relations": [{"name": "r", "kinds": "two"}]}})json",
       "net.json: kinds is not a small whole number"},
  };
  for (const auto& [text, error] : wrong) {
    expect_error(ErrorCode::format, error, [&text = text] { parse(text); });
  }
  const std::string deep = R"json({"network": "FC(3)", "fgnn": {"m": )json" +
                           std::string(200'000, '[') + std::string(200'000, ']') + "}}";
  expect_error(ErrorCode::format, "net.json: has a list inside", [&] { parse(deep); });
}

TEST(Describe, TakesAPresetAFileOrLayers) {
  for (const auto& p : presets()) {
    EXPECT_FALSE(p.description.empty());
    EXPECT_EQ(describe(p.name).json(), Description::parse(p.json, p.name).json());
  }
  const Scratch scratch;
  const auto file = scratch.path() / "mine.json";
  std::ofstream(file) << R"json({"network": "FC(5) - Out(2)"})json";
  EXPECT_EQ(describe(file.string()).network, "FC(5) - Out(2)");
  const Description written = describe("3*FGNN(8) - Out(2)");
  EXPECT_EQ(written.network, "3*FGNN(8) - Out(2)");
  EXPECT_EQ(written.defaults, describe("fgnn").defaults);
  expect_error(ErrorCode::usage, "presets: fgnn, ", [] { describe("resnet"); });
  expect_error(ErrorCode::io, "absent.json",
               [&] { describe((scratch.path() / "absent.json").string()); });
}

}  // namespace
}  // namespace fgnn::network
