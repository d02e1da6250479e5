// What --json promises: the members that scripts rely on, and their types.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "fgnn/io/outside_program.h"
#include "tests/cli/process.h"
#include "tests/places.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

using nlohmann::json;

// Runs the program on these arguments and parses what it prints.
json output(const std::string& arguments) { return json::parse(testing::run_program(arguments)); }

TEST(JsonOutput, InferGivesStatusPartitionAndOneRowPerVariable) {
  const json j = output("infer demo.fgt --json");
  EXPECT_EQ(j.at("status"), "exact");
  EXPECT_EQ(j.at("method"), "auto");
  EXPECT_NEAR(j.at("log10_partition").get<double>(), 4.3580149590, 1e-9);
  ASSERT_EQ(j.at("variables").size(), 8u);
  EXPECT_EQ(j.at("variables")[3], "x[3]");
  ASSERT_EQ(j.at("marginals").size(), 8u);
  for (const json& row : j.at("marginals")) {
    ASSERT_EQ(row.size(), 2u);
    EXPECT_NEAR(row[0].get<double>() + row[1].get<double>(), 1, 1e-12);
  }
  EXPECT_TRUE(j.at("iterations").is_number_integer());
  EXPECT_TRUE(j.at("seconds").is_number());
}

TEST(JsonOutput, MapGivesAssignmentScoreAndBound) {
  const json j = output("map demo.fgt --json");
  EXPECT_EQ(j.at("status"), "exact");
  EXPECT_EQ(j.at("assignment"), json::parse("[0,0,0,1,1,1,1,1]"));
  EXPECT_NEAR(j.at("score").get<double>(), 8.5, 1e-12);
  EXPECT_GE(j.at("bound").get<double>(), j.at("score").get<double>());
  EXPECT_TRUE(j.at("iterations").is_number_integer());
  EXPECT_TRUE(j.at("seconds").is_number());
  EXPECT_TRUE(j.at("feasible").get<bool>());
  EXPECT_FALSE(j.contains("solutions"));
}

TEST(JsonOutput, MapGivesNoBoundWhereTheMethodHasNone) {
  const json j = output("map demo.fgt --method max-product --json");
  EXPECT_TRUE(j.at("bound").is_null());
  EXPECT_TRUE(j.at("feasible").get<bool>());
}

TEST(JsonOutput, MapGivesACertificateWhenAsked) {
  const json j = output("map demo.fgt --method max-product --certificate ad3 --json");
  const json& c = j.at("certificate");
  EXPECT_EQ(c.at("method"), "ad3");
  EXPECT_GE(c.at("bound").get<double>(), j.at("score").get<double>() - 1e-6);
  EXPECT_NEAR(c.at("gap").get<double>(), c.at("bound").get<double>() - j.at("score").get<double>(),
              1e-4);
  EXPECT_EQ(c.at("proved").get<bool>(), c.at("gap").get<double>() == 0);
  EXPECT_TRUE(c.at("seconds").is_number());
  EXPECT_TRUE(output("map demo.fgt --certificate mplp --json").at("certificate").at("proved"));
}

// A network that knows nothing of the evidence's contradiction, judged by a relaxation.
TEST(JsonOutput, ACertificateNeverProvesAnAnswerAgainstTheEvidence) {
  const testing::Scratch folder;
  std::ofstream(folder.path() / "budget.fgt") << "fgnn 1\nvar x[3] 2\n"
                                                 "unary x[0] 0 1\nunary x[1] 0 1\n"
                                                 "factor x[0] x[1] : table 1 0 0 1\n"
                                                 "factor x[0..2] : at-most 1\n";
  const std::string file = shell_word(folder.path() / "budget.fgt");
  for (const char* method : {"fgnn:d3", "max-product", "mplp", "ad3"}) {
    for (const char* certificate : {"ad3", "mplp"}) {
      const auto ran = testing::run_program_fully(
          fmt::format("map {} --method {} --certificate {} --set 'x[0]=1' --set 'x[1]=1' --json",
                      file, method, certificate));
      EXPECT_EQ(ran.exit, 6) << method;
      const json j = json::parse(ran.out);
      EXPECT_EQ(j.at("status"), "infeasible") << method;
      EXPECT_FALSE(j.at("feasible").get<bool>()) << method;
      EXPECT_TRUE(j.at("assignment").empty()) << method;
      EXPECT_FALSE(j.contains("certificate") && j["certificate"].at("proved").get<bool>());
    }
  }
}

TEST(JsonOutput, ReproduceGivesARowPerTableDatasetAndMethod) {
  const json j = output("reproduce synthetic --tables 3,timing --count 3 --threads 1 --json");
  int chains = 0, times = 0;
  for (const json& row : j.at("rows")) {
    for (const char* key : {"table", "dataset", "method", "ours", "paper", "unit", "stderr"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    if (row.at("table") == "3" && row.at("dataset") == "D4" && row.at("method") == "max-product") {
      ++chains;
      EXPECT_EQ(row.at("ours"), 100);
      EXPECT_EQ(row.at("paper"), 100);
      EXPECT_EQ(row.at("unit"), "%");
      EXPECT_EQ(row.at("stderr"), 0);
      EXPECT_EQ(row.at("feasible"), 100);
      EXPECT_EQ(row.at("instances"), 3);
    }
    if (row.at("table") == "timing" && row.at("method") == "DGCNN" && row.at("dataset") == "D1") {
      ++times;
      EXPECT_EQ(row.at("unit"), "us");
      EXPECT_EQ(row.at("paper"), 285);
      EXPECT_GT(row.at("ours").get<double>(), 0);
    }
  }
  EXPECT_EQ(chains, 1);
  EXPECT_EQ(times, 1);
}

TEST(JsonOutput, ReproduceLdpcGivesARowPerCellAndDecoder) {
  const auto log = (std::filesystem::temp_directory_path() / "reproduce-ldpc.jsonl").string();
  std::filesystem::remove(log);
  const std::string command = "reproduce ldpc --words 8 --threads 1 --json --log " + log;
  const json j = output(command);
  std::map<std::string, int> cells;
  double bits = 0, near_ml = 0;
  for (const json& row : j.at("rows")) {
    for (const char* key : {"table", "dataset", "method", "ours", "paper", "unit", "stderr"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_EQ(row.at("unit"), "BER");
    EXPECT_TRUE(row.at("paper").is_null()) << "published figures are of another code";
    ++cells[row.at("method")];
    if (row.contains("note")) {
      EXPECT_TRUE(row.at("ours").is_null());
      continue;
    }
    EXPECT_EQ(row.at("instances"), 8);
    if (row.at("method") == "bits") bits += row.at("ours").get<double>();
    if (row.at("method") == "ordered statistics, order 3") near_ml += row.at("ours").get<double>();
  }
  EXPECT_GE(cells.size(), 7u);
  for (const auto& [method, count] : cells) EXPECT_EQ(count, 30) << method;
  EXPECT_LT(near_ml, 0.7 * bits);
  EXPECT_EQ(output(command), j) << "from the log: speeds are those of the first run";
  std::filesystem::remove(log);
}

TEST(JsonOutput, CompareGivesARowPerDatasetAndMethod) {
  const json j = output("compare --synthetic D3,D4 --count 3 --methods ad3,exact --json");
  ASSERT_EQ(j.at("rows").size(), 4u);
  for (const json& row : j.at("rows")) {
    EXPECT_TRUE(row.at("dataset") == "D3" || row.at("dataset") == "D4");
    EXPECT_EQ(row.at("instances"), 3);
    for (const char* key : {"agreement", "exact_instances", "feasible", "score_gap", "bound_gap",
                            "score", "bound", "settled", "iterations", "microseconds"}) {
      EXPECT_TRUE(row.at(key).is_number()) << key;
    }
    if (row.at("method") != "exact") continue;
    EXPECT_EQ(row.at("agreement"), 100.0);
    EXPECT_EQ(row.at("exact_instances"), 100.0);
  }
}

TEST(JsonOutput, KBestAreSortedAndStartWithTheMap) {
  const json j = output("map demo.fgt --k 5 --json");
  ASSERT_EQ(j.at("solutions").size(), 5u);
  EXPECT_EQ(j.at("solutions")[0].at("assignment"), j.at("assignment"));
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_LE(j.at("solutions")[i].at("score"), j.at("solutions")[i - 1].at("score"));
  }
}

TEST(JsonOutput, InfeasibleModelsStillPrintAnObject) {
  for (const std::string method : {"exact", "enumerate"}) {
    const std::string file = " '" FGNN_CLI_DATA "/impossible.fgt' --json --method " + method;
    const json infer = output("infer" + file), map = output("map" + file);
    EXPECT_EQ(infer.at("status"), "infeasible");
    EXPECT_TRUE(infer.at("log10_partition").is_null());
    EXPECT_TRUE(infer.at("marginals").empty());
    EXPECT_EQ(map.at("status"), "infeasible");
    EXPECT_TRUE(map.at("score").is_null());
    EXPECT_TRUE(map.at("assignment").empty());
  }
}

TEST(JsonOutput, InfoGivesStatisticsAndTheCostOfExactInference) {
  const json j = output("info demo.fgt --json");
  for (const char* key : {"variables", "factors", "edges", "potentials", "components", "bytes",
                          "message_bytes", "largest_table", "isolated_variables"}) {
    EXPECT_TRUE(j.at(key).is_number_integer()) << key;
  }
  EXPECT_TRUE(j.at("forest").is_boolean());
  EXPECT_TRUE(j.at("factors_by_kind").is_object());
  for (const char* range : {"states", "arity", "degree"}) {
    for (const char* end : {"min", "mean", "max"}) EXPECT_TRUE(j.at(range).at(end).is_number());
  }
  EXPECT_TRUE(j.at("exact").at("induced_width").is_number_integer());
  for (const char* key : {"log2_largest_clique", "operations", "bytes"}) {
    EXPECT_TRUE(j.at("exact").at(key).is_number()) << key;
  }
}

class BenchOutput : public ::testing::TestWithParam<std::string> {};

TEST_P(BenchOutput, RowsHaveValueUnitBaselineAndRatio) {
  const json j = output("bench " + GetParam() + " --quick --json");
  EXPECT_EQ(j.at("suite"), GetParam());
  ASSERT_FALSE(j.at("rows").empty());
  for (const json& row : j.at("rows")) {
    EXPECT_TRUE(row.at("name").is_string());
    EXPECT_GT(row.at("value").get<double>(), 0);
    EXPECT_TRUE(row.at("unit").is_string());
    EXPECT_TRUE(row.at("baseline").is_number() || row.at("baseline").is_null());
    EXPECT_EQ(row.at("ratio").is_null(), row.at("baseline").is_null());
  }
}

INSTANTIATE_TEST_SUITE_P(EverySuite, BenchOutput,
                         ::testing::Values("graph", "exact", "io", "bp", "bp-large", "map"));

TEST(JsonOutput, ListsAreArraysOfObjects) {
  for (const std::string topic : {"methods", "formats", "potentials", "suites", "errors"}) {
    const json j = output("list " + topic + " --json");
    ASSERT_TRUE(j.is_array()) << topic;
    EXPECT_GE(j.size(), 3u) << topic;
  }
}

}  // namespace
}  // namespace fgnn
