// fgnn compare over folders, the trace of fgnn map, proofs and scripts/anytime, from outside.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fgnn/io/outside_program.h"
#include "tests/cli/process.h"

namespace fgnn {
namespace {

using nlohmann::json;
using testing::run_program_fully;

class CompareFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string model : {"grid --rows 4 --columns 5", "noisy-or --diseases 8"}) {
      const auto made = run_program_fully("generate " + model + " --count 2 --out " + models_);
      ASSERT_EQ(made.exit, 0) << made.err;
    }
  }
  json output(const std::string& arguments) const {
    const auto ran = run_program_fully(arguments);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return json::parse(ran.out);
  }
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }

  testing::Scratch scratch_;
  const std::string models_ = (scratch_.path() / "models").string();
};

TEST_F(CompareFolder, HasARowPerFamilyAndMethod) {
  const json j = output("compare " + models_ + " --methods auto,exact --json");
  EXPECT_EQ(j.at("query"), "map");
  EXPECT_EQ(j.at("time_limit"), 30);
  ASSERT_EQ(j.at("rows").size(), 6u);
  for (const char* family : {"grid", "noisy-or", "all"}) {
    for (const char* method : {"auto", "exact"}) {
      const auto is = [&](const json& r) { return r["family"] == family && r["method"] == method; };
      const auto row = std::ranges::find_if(j.at("rows"), is);
      ASSERT_NE(row, j.at("rows").end()) << family << method;
      EXPECT_EQ(row->at("best"), row->at("models"));
      EXPECT_EQ(row->at("exact"), row->at("models"));
      EXPECT_EQ(row->at("gap"), 0);
    }
  }
  EXPECT_EQ(j.at("models").size(), 8u);
}

TEST_F(CompareFolder, ComparesMarginalsWithExactOnes) {
  const json j = output("compare " + models_ + " --query infer --methods sum-product,exact --json");
  for (const json& row : j.at("rows")) {
    EXPECT_EQ(row.at("referenced"), row.at("models"));
    const bool exact = row.at("method") == "exact";
    EXPECT_EQ(row.at("marginal_error") == 0, exact) << row;
  }
}

TEST_F(CompareFolder, KeepsALogAndWritesAPage) {
  const std::string more = " --methods exact --log " + path("log.jsonl") + " --html ";
  const auto first = run_program_fully("compare " + models_ + more + path("a.html") + " --details");
  EXPECT_EQ(first.exit, 0) << first.err;
  const std::string log = testing::bytes(path("log.jsonl"));
  EXPECT_EQ(std::ranges::count(log, '\n'), 4);
  const auto second =
      run_program_fully("compare " + models_ + more + path("b.html") + " --details");
  EXPECT_EQ(second.out, first.out) << "times as well: nothing was measured again";
  EXPECT_EQ(testing::bytes(path("log.jsonl")), log);
  EXPECT_EQ(testing::bytes(path("a.html")), testing::bytes(path("b.html")));
  EXPECT_NE(first.out.find("grid-0-000001"), std::string::npos);
}

TEST_F(CompareFolder, RefusesWhatIsMeantForOneFile) {
  for (const std::string option : {"--set 'x[0]=1'", "--from uai", "--evidence nothing.evid"}) {
    const auto ran = run_program_fully("compare " + models_ + " " + option);
    EXPECT_EQ(ran.exit, 2) << option;
    EXPECT_NE(ran.err.find("by family"), std::string::npos) << ran.err;
  }
  EXPECT_EQ(run_program_fully("compare --query infer").exit, 2);
  EXPECT_EQ(run_program_fully("compare " + path("nothing") + " --details").exit, 3);
}

TEST_F(CompareFolder, AnytimeScriptCountsWinsTiesAndLosses) {
  if (!have_program("python3")) GTEST_SKIP() << "there is no python3";
  const std::string command = "FGNN_PROGRAM=" + shell_word(FGNN_PROGRAM_FILE) + " " +
                              shell_word(FGNN_SOURCE_DIR "/scripts/anytime") + " " +
                              shell_word(path("anytime")) +
                              " --small --seconds 5,6 --count 2 --families grid40,wcsp,D5 --json";
  const auto said = output_of(command);
  ASSERT_TRUE(said);
  const json rows = json::parse(*said).at("rows");
  const std::size_t others = have_program("toulbar2") ? 2 : 1;
  ASSERT_EQ(rows.size(), 3 * 2 * others);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("instances"), 2);
    EXPECT_EQ(row.at("losses"), 0) << "these are solved exactly: " << row;
    EXPECT_EQ(row.at("wins").get<int>() + row.at("ties").get<int>(), 2) << row;
  }
  EXPECT_EQ(output_of(command), said) << "the second time from its log";
}

TEST_F(CompareFolder, ProofsAreComparedWithToulbar2) {
  const auto ran = run_program_fully("bench proofs --quick --json --data " + models_);
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const json rows = json::parse(ran.out).at("rows");
  if (!have_program("toulbar2")) {
    EXPECT_TRUE(rows.empty());
    EXPECT_NE(ran.err.find("toulbar2 is not installed"), std::string::npos);
    return;
  }
  ASSERT_EQ(rows.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i].at("baseline_name"), "toulbar2");
    EXPECT_EQ(rows[i].at("name").get<std::string>().find(","), std::string::npos) << "both prove";
  }
  EXPECT_EQ(rows[4].at("baseline"), 4);
  EXPECT_LE(rows[4].at("value"), 4);
}

TEST_F(CompareFolder, ProofsWithoutModelsAreSkipped) {
  testing::Program program({"bench", "proofs"}, {{"FGNN_DATA", ""}});
  ASSERT_TRUE(program.wait());
  EXPECT_EQ(program.exit_code(), 0);
  EXPECT_NE(program.err().find("skipped"), std::string::npos) << program.err();
}

TEST_F(CompareFolder, MapTellsWhatAutoTriedAndDrawsIt) {
  const std::string model = models_ + "/grid-0-000000.fgt";
  const json j = output("map " + model + " --method auto --json");
  ASSERT_FALSE(j.at("tried").empty());
  for (const json& trial : j.at("tried")) {
    EXPECT_TRUE(trial.at("method").is_string());
    EXPECT_TRUE(trial.at("outcome").is_string());
    EXPECT_TRUE(trial.at("seconds").is_number());
  }
  const json& trace = j.at("trace");
  ASSERT_FALSE(trace.empty());
  EXPECT_NEAR(trace.back().at("score").get<double>(), j.at("score").get<double>(), 1e-9);
  EXPECT_FALSE(output("map " + model + " --method max-product --json").contains("tried"));
  const auto report = run_program_fully("map " + model + " --method auto --report");
  EXPECT_NE(report.out.find("tried"), std::string::npos) << report.out;
  if (!have_program("gnuplot")) GTEST_SKIP() << "there is no gnuplot";
  EXPECT_EQ(run_program_fully("map " + model + " --plot " + path("trace.svg")).exit, 0);
  EXPECT_NE(testing::bytes(path("trace.svg")).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace fgnn
