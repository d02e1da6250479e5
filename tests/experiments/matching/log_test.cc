// A reproduction with a log measures nothing twice, and everything that is not quite the same.
#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/experiments/matching/tables.h"
#include "fgnn/experiments/matching/task.h"
#include "fgnn/io/read_text.h"
#include "fgnn/report/json.h"
#include "tests/experiments/matching/small_data.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::matching {
namespace {

using testing::expect_error;

class MatchingLog : public ::testing::Test {
 protected:
  MatchingLog() {
    testing::write_small_keypoints(scratch_.path(), 40);
    options_.data = scratch_.path();
    options_.tables = {"voc"};
    options_.solvers = {};
    options_.pairs = 10;
    options_.solver_pairs = 2;
    options_.seeds = 2;
    options_.sets = 2;
    options_.log = (scratch_.path() / "log.jsonl").string();
  }

  // A network of positions alone, drawn at random.
  std::string save_network(std::uint64_t seed) const {
    MatchingOptions o;
    o.data = "random";
    const MatchingTask task(o, nullptr);
    network::Description d = network::Description::parse(
        R"json({"network": "FC(8, relation=none) - Out(8)"})json", "test");
    d.schema = task.schema();
    network::Model model(d, seed);
    model.metadata = task.settings();
    model.metadata["task"] = "matching";
    const auto file = scratch_.path() / "points.safetensors";
    network::save_model(file, model);
    return file.string();
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
    measure_tables(options_);
    return lines().size() - before;
  }

  testing::Scratch scratch_;
  ReportOptions options_;
};

std::vector<ReportRow> ours(std::vector<ReportRow> rows) {
  std::erase_if(rows, [](const ReportRow& r) { return r.of_paper; });
  return rows;
}

// Times too, which no two runs have in common.
void expect_same(const std::vector<ReportRow>& rows, const std::vector<ReportRow>& wanted) {
  ASSERT_EQ(rows.size(), wanted.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].method, wanted[i].method);
    EXPECT_EQ(rows[i].x, wanted[i].x);
    EXPECT_EQ(rows[i].by_class, wanted[i].by_class);
    EXPECT_EQ(rows[i].mean, wanted[i].mean);
    EXPECT_EQ(rows[i].deviation, wanted[i].deviation);
    EXPECT_EQ(rows[i].seconds, wanted[i].seconds);
  }
}

TEST_F(MatchingLog, NothingIsMeasuredTwice) {
  options_.solvers = {"max-product"};
  const auto first = measure_tables(options_);
  EXPECT_EQ(lines().size(), 3u * 2 + 2) << "Hungarian by two seeds, the solver with two problems";
  const std::string before = read_text(options_.log);
  expect_same(measure_tables(options_), first);
  EXPECT_EQ(read_text(options_.log), before);
}

TEST_F(MatchingLog, FiguresAreThoseOfARunWithoutIt) {
  const auto kept = measure_tables(options_);
  options_.log.clear();
  const auto rows = measure_tables(options_);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].by_class, kept[i].by_class);
}

TEST_F(MatchingLog, KeptFiguresAreShown) {
  options_.seeds = 1;
  EXPECT_GT(ours(measure_tables(options_))[0].mean, 0);
  auto all = lines();
  for (Json& c : all[0]["result"]["classes"]) c["right"] = 0.0;
  {
    std::ofstream out(options_.log);
    for (const Json& line : all) out << line.dump() << "\n";
  }
  const auto rows = ours(measure_tables(options_));
  EXPECT_EQ(rows[0].mean, 0);
  EXPECT_GT(rows[1].mean, 0);
}

TEST_F(MatchingLog, OtherMeasurementsAreMadeAnew) {
  EXPECT_EQ(added(), 6u);
  options_.seeds = 3;
  EXPECT_EQ(added(), 3u) << "one seed more";
  options_.pairs = 11;
  EXPECT_EQ(added(), 9u);
  testing::write_small_keypoints(scratch_.path(), 40, 0.8, /*seed=*/2);
  EXPECT_EQ(added(), 9u) << "other data";
}

TEST_F(MatchingLog, SweepsKnowTheirNetwork) {
  options_.tables = {"noise"};
  options_.point_networks = {save_network(0)};
  const auto first = measure_tables(options_);
  EXPECT_EQ(lines().size(), 11u);
  expect_same(measure_tables(options_), first);
  EXPECT_EQ(added(), 0u);
  options_.sets = 3;
  EXPECT_EQ(added(), 11u);
  save_network(1);
  EXPECT_EQ(added(), 11u) << "other weights of the same name";
  const auto elsewhere = scratch_.path() / "elsewhere";
  std::filesystem::create_directory(elsewhere);
  std::filesystem::copy(options_.point_networks[0], elsewhere);
  options_.point_networks[0] = (elsewhere / "points.safetensors").string();
  EXPECT_EQ(added(), 0u) << "the same network in another folder";
}

TEST_F(MatchingLog, DamagedLinesAreNamed) {
  EXPECT_EQ(added(), 6u);
  const Json wrong{{"experiment", "matching"}, {"measured", {}}, {"result", {{"seconds", 1}}}};
  std::ofstream(options_.log, std::ios::app) << wrong.dump() << "\n";
  const std::string before = read_text(options_.log);
  expect_error(ErrorCode::format,
               options_.log + ":7: is not a measurement of reproduce matching; name a file that",
               [&] { measure_tables(options_); });
  EXPECT_EQ(read_text(options_.log), before);
}

}  // namespace
}  // namespace fgnn::matching
