// A reproduction with a log measures nothing twice, and everything that is not quite the same.
#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/experiments/synthetic/measured.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/io/read_text.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::synthetic {
namespace {

using testing::expect_error;

class SyntheticLog : public ::testing::Test {
 protected:
  SyntheticLog() {
    options_.weights = scratch_.path();
    options_.tables = {"2"};
    options_.count = 3;
    options_.log = (scratch_.path() / "log.jsonl").string();
  }

  void save_network(std::uint64_t seed) const {
    network::Description d =
        network::Description::parse(R"json({"network": "FGNN(4) - Out(2)"})json", "test");
    d.schema = SyntheticTask(SyntheticTaskOptions{}).schema();
    network::save_model(scratch_.path() / "d3.safetensors", network::Model(d, seed));
  }

  std::vector<Json> lines() const {
    std::ifstream in(options_.log);
    std::vector<Json> all;
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }

  // Runs it, and says how many measurements the log got.
  std::size_t added() {
    const std::size_t before = lines().size();
    reproduce_synthetic(options_);
    return lines().size() - before;
  }

  testing::Scratch scratch_;
  SyntheticReportOptions options_;
};

// Times too, which no two runs have in common.
void expect_same(const std::vector<Row>& rows, const std::vector<Row>& wanted) {
  ASSERT_EQ(rows.size(), wanted.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].method, wanted[i].method);
    EXPECT_EQ(rows[i].paper, wanted[i].paper);
    EXPECT_EQ(rows[i].note, wanted[i].note);
    EXPECT_EQ(figures(rows[i]), figures(wanted[i])) << rows[i].method;
  }
}

TEST_F(SyntheticLog, NothingIsMeasuredTwice) {
  save_network(0);
  const auto first = reproduce_synthetic(options_);
  EXPECT_EQ(lines().size(), 9u) << "three methods on three lengths";
  const std::string before = read_text(options_.log);
  expect_same(reproduce_synthetic(options_), first);
  EXPECT_EQ(read_text(options_.log), before);
}

TEST_F(SyntheticLog, FiguresAreThoseOfARunWithoutIt) {
  const auto kept = reproduce_synthetic(options_);
  options_.log.clear();
  const auto rows = reproduce_synthetic(options_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].ours, kept[i].ours);
    EXPECT_EQ(rows[i].left_open, kept[i].left_open);
  }
}

TEST_F(SyntheticLog, KeptFiguresAreShown) {
  reproduce_synthetic(options_);
  auto all = lines();
  ASSERT_EQ(all[0].at("measured").at("method"), "AD3");
  all[0]["result"]["ours"] = 12.5;
  {
    std::ofstream out(options_.log);
    for (const Json& line : all) out << line.dump() << "\n";
  }
  EXPECT_EQ(reproduce_synthetic(options_)[0].ours, 12.5);
}

TEST_F(SyntheticLog, OnlyWhatIsMissingIsMeasured) {
  EXPECT_EQ(added(), 3u) << "AD3; the network is missing";
  const auto first = reproduce_synthetic(options_);
  EXPECT_NE(first[1].note, "");
  save_network(0);
  EXPECT_EQ(added(), 6u) << "the network, repaired and not";
  const auto rows = reproduce_synthetic(options_);
  EXPECT_EQ(figures(rows[0]), figures(first[0]));
  EXPECT_TRUE(rows[1].ours);
}

TEST_F(SyntheticLog, OtherMeasurementsAreMadeAnew) {
  save_network(0);
  EXPECT_EQ(added(), 9u);
  options_.count = 4;
  EXPECT_EQ(added(), 9u);
  options_.seed = 1;
  EXPECT_EQ(added(), 9u);
  save_network(1);
  EXPECT_EQ(added(), 6u) << "other weights";
  options_.side = 4;
  EXPECT_EQ(added(), 0u) << "the side is D5's";
}

TEST_F(SyntheticLog, SolversAreStoppedAfterTheTimeThatWasKept) {
  options_.tables = {"d5"};
  options_.side = 4;
  options_.count = 1;
  const auto first = reproduce_synthetic(options_);
  const std::string before = read_text(options_.log);
  expect_same(reproduce_synthetic(options_), first);
  EXPECT_EQ(read_text(options_.log), before);
  const std::size_t kept = lines().size();
  options_.side = 5;
  EXPECT_EQ(added(), kept);
}

TEST_F(SyntheticLog, DamagedLinesAreNamed) {
  EXPECT_EQ(added(), 3u);
  const Json wrong{{"experiment", "synthetic"}, {"measured", {}}, {"result", {{"ours", 1}}}};
  std::ofstream(options_.log, std::ios::app) << wrong.dump() << "\n";
  const std::string before = read_text(options_.log);
  expect_error(ErrorCode::format,
               options_.log + ":4: is not a measurement of reproduce synthetic; name a file that",
               [&] { reproduce_synthetic(options_); });
  EXPECT_EQ(read_text(options_.log), before);
}

}  // namespace
}  // namespace fgnn::synthetic
