// fgnn code and fgnn ber from outside: what scripts rely on, and runs that go on where others
// ended.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

using nlohmann::json;
using testing::run_program;

class Ber : public ::testing::Test {
 protected:
  Ber() { run_program("code make peg --length 48 --checks 24 --seed 3 --out '" + code_ + "'"); }

  // The cells that a run prints.
  std::vector<json> cells(const std::string& arguments) const {
    std::istringstream text(run_program("ber '" + code_ + "' --json " + arguments));
    std::vector<json> all;
    for (std::string line; std::getline(text, line);) all.push_back(json::parse(line));
    return all;
  }
  static json counts(const json& cell) {
    json picked;
    for (const char* member : {"decoder", "snr_db", "sigma_b", "frames", "bit_errors",
                               "frame_errors", "all_iterations"}) {
      picked[member] = cell.at(member);
    }
    return picked;
  }

  testing::Scratch scratch_;
  const std::string code_ = (scratch_.path() / "code.alist").string();
  const std::string log_ = (scratch_.path() / "log.jsonl").string();
};

TEST_F(Ber, GivesALineOfJsonPerDecoderAndCell) {
  const auto all = cells(
      "--decoder mackay,min-sum:scale=0.8,iterations=9 --snr 1:2:1 --burst 0,2 "
      "--frames 300 --errors 0");
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[1].at("decoder"), "min-sum:scale=0.8,iterations=9");
  EXPECT_EQ(all[2].at("snr_db"), 2);
  EXPECT_EQ(all[7].at("sigma_b"), 2);
  for (const json& cell : all) {
    EXPECT_EQ(cell.at("frames"), 300);
    for (const char* member :
         {"ber", "ber_low", "ber_high", "fer", "fer_low", "fer_high", "iterations",
          "codewords_per_second", "simulated_per_second", "ebn0_db", "esn0_db", "sigma"}) {
      EXPECT_TRUE(cell.at(member).is_number()) << member;
    }
    EXPECT_LE(cell.at("ber_low"), cell.at("ber"));
    EXPECT_GE(cell.at("ber_high"), cell.at("ber"));
    EXPECT_GT(cell.at("codewords_per_second"), 0);
  }
}

TEST_F(Ber, GoesOnWhereTheLogEnds) {
  const std::string what = "--decoder mackay --snr 2 --burst 1 --errors 0 --seed 4 ";
  const auto whole = cells(what + "--frames 900");
  cells(what + "--frames 350 --log '" + log_ + "'");
  std::ofstream(log_, std::ios::app) << "{\"code\": \"cut o";  // a crash while writing
  const auto more = cells(what + "--frames 900 --threads 1 --log '" + log_ + "'");
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(counts(more[0]), counts(whole[0]));
  // All there: nothing is measured, and the answer is the same to the last digit.
  EXPECT_EQ(cells(what + "--frames 900 --log '" + log_ + "'"), more);
  std::ifstream log(log_);
  int lines = 0;
  for (std::string line; std::getline(log, line);) ++lines;
  EXPECT_EQ(lines, 2);
}

TEST_F(Ber, EndsWithItsTime) {
  const std::string what = "--decoder mackay --snr 2 --errors 0 --seed 4 --log '" + log_ + "' ";
  const auto run = testing::run_program_fully("ber '" + code_ + "' --json " + what +
                                              "--frames 1000000000 --time-limit 1");
  EXPECT_EQ(run.exit, 9) << run.err;
  EXPECT_NE(run.err.find("time limit"), std::string::npos) << run.err;
  // What it counted is of whole rounds, and another run goes on from there.
  const json cut = json::parse(run.out);
  const auto frames = cut.at("frames").get<std::uint64_t>();
  ASSERT_GT(frames, 0u);
  const auto whole =
      cells("--decoder mackay --snr 2 --errors 0 --seed 4 --frames " + std::to_string(frames));
  EXPECT_EQ(counts(whole.at(0)), counts(cut));
}

// A file's name stays when it is trained again; its cells must not.
TEST_F(Ber, ALogTellsNewWeightsFromOldOnes) {
  const auto model = (scratch_.path() / "model.safetensors").string();
  const auto compile = [&](int iterations) {
    run_program("neuralize --family ldpc --task code='" + code_ + "' --iterations " +
                std::to_string(iterations) + " --untied --out '" + model + "'");
  };
  const std::string what =
      "--decoder 'fgnn:" + model + "' --snr 2 --frames 200 --errors 0 --log '" + log_ + "'";
  compile(1);
  const auto first = cells(what);
  EXPECT_EQ(cells(what), first);  // from the log
  compile(4);
  const auto second = cells(what);
  EXPECT_NE(second.at(0).at("weights"), first.at(0).at("weights"));
  EXPECT_NE(second.at(0).at("bit_errors"), first.at(0).at("bit_errors"));
}

TEST_F(Ber, CellsDoNotDependOnWhatElseIsMeasured) {
  const auto alone = cells("--decoder mackay --snr 2 --frames 500 --errors 0");
  const auto among = cells("--decoder bitwise,mackay --snr 0:3:1 --frames 500 --errors 0");
  EXPECT_EQ(counts(alone[0]), counts(among[5]));
}

TEST_F(Ber, DrawsASvgOfItsCurves) {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  const auto file = scratch_.path() / "curves.svg";
  cells("--decoder bitwise,mackay --snr 0:2:1 --burst 0,3 --frames 200 --errors 0 --plot '" +
        file.string() + "'");
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_NE(text.str().find("<svg"), std::string::npos);
  EXPECT_NE(text.str().find("mackay"), std::string::npos);
}

TEST_F(Ber, CodeInfoGivesRankAndPositions) {
  const json info = json::parse(run_program("code info '" + code_ + "' --json"));
  EXPECT_EQ(info.at("length"), 48);
  EXPECT_EQ(info.at("checks"), 24);
  EXPECT_EQ(info.at("dimension"), 48 - info.at("rank").get<int>());
  EXPECT_EQ(info.at("information").size(), info.at("dimension").get<std::size_t>());
  EXPECT_EQ(info.at("column_weights"), json::parse(R"({"3": 48})"));
  EXPECT_GE(info.at("girth"), 6);
}

TEST_F(Ber, AFileThatIsNoLogStaysAsItIs) {
  const std::string what = "--decoder mackay --snr 2 --frames 100 --log '" + log_ + "'";
  for (const std::string other : {"my only copy", "{\"a\": 1}", "{\"code\": 3}", "1 2 3\n4 5"}) {
    std::ofstream(log_) << other;
    EXPECT_TRUE(cells(what).empty()) << other;
    std::stringstream text;
    text << std::ifstream(log_).rdbuf();
    EXPECT_EQ(text.str(), other);
  }
}

TEST_F(Ber, LearnedDecodersRefuseChannelsThatTheyKnowNothingOf) {
  const auto model = (scratch_.path() / "model.safetensors").string();
  run_program("neuralize --family ldpc --task code='" + code_ + "' --out '" + model + "'");
  const std::string what = "--decoder 'fgnn:" + model + "' --frames 50 ";
  EXPECT_EQ(cells(what + "--snr 2").size(), 1u);
  EXPECT_EQ(cells(what + "--snr 2 --burst 1").size(), 1u);
  EXPECT_TRUE(cells(what + "--snr 2 --channel rayleigh").empty());
  for (const std::string channel : {"bsc", "bec"}) {
    EXPECT_TRUE(cells(what + "--flip 0.02 --channel " + channel).empty());
    EXPECT_EQ(cells("--frames 50 --flip 0.02 --channel " + channel).size(), 1u);
  }
}

TEST_F(Ber, PuncturedCodesHaveTheRateOfWhatIsSent) {
  const std::string plain = (scratch_.path() / "plain.qc").string(),
                    punctured = (scratch_.path() / "punctured.qc").string();
  const std::string rows = "4 2 8\n1 3 0 -1\n5 2 1 0\n";
  std::ofstream(plain) << rows;
  std::ofstream(punctured) << rows << "\n1 1 1 0\n";
  const auto info = [](const std::string& file) {
    return json::parse(run_program("code info '" + file + "' --json"));
  };
  EXPECT_EQ(info(plain).at("rate"), 0.5);
  EXPECT_EQ(info(punctured).at("sent"), 24);
  EXPECT_EQ(info(punctured).at("length"), 32);
  EXPECT_NEAR(info(punctured).at("rate").get<double>(), 16 / 24.0, 1e-12);
  const auto cell = [](const std::string& file) {
    return json::parse(
        run_program("ber '" + file + "' --json --ebn0 3 --frames 2000 --errors 0 --seed 1"));
  };
  const json a = cell(plain), b = cell(punctured);
  EXPECT_NE(a.at("fingerprint"), b.at("fingerprint"));
  // The same energy for a bit of the message is more for a bit that is sent.
  EXPECT_NEAR(b.at("esn0_db").get<double>() - a.at("esn0_db").get<double>(),
              10 * std::log10(32 / 24.0), 1e-6);
  EXPECT_EQ(b.at("sent"), 24);
  EXPECT_LT(b.at("ber"), 0.2);
}

TEST_F(Ber, CountsTheWordsAndMessagesOfASimulation) {
  const std::string code = (scratch_.path() / "long.qc").string();
  std::ofstream(code) << "2 1 300000\n0 5\n";
  const auto ran = testing::run_program_fully("ber '" + code + "' --snr 1 --frames 4 --memory 64M");
  EXPECT_EQ(ran.exit, 7);
  EXPECT_NE(ran.err.find("the limit is 64.0 MiB"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace fgnn
