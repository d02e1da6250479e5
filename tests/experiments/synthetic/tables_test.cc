#include "fgnn/experiments/synthetic/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "fgnn/experiments/synthetic/page.h"
#include "fgnn/experiments/synthetic/paper.h"
#include "fgnn/experiments/synthetic/task.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::synthetic {
namespace {

SyntheticReportOptions few(std::vector<std::string> tables, const std::filesystem::path& weights) {
  SyntheticReportOptions options;
  options.tables = std::move(tables);
  options.weights = weights;
  options.count = 4;
  return options;
}

const Row& row_of(const std::vector<Row>& rows, const std::string& dataset,
                  const std::string& method) {
  const auto found = std::ranges::find_if(
      rows, [&](const Row& r) { return r.dataset == dataset && r.method == method; });
  if (found == rows.end()) throw std::runtime_error("no row " + dataset + " " + method);
  return *found;
}

void save_untrained(const std::filesystem::path& file, const SyntheticTaskOptions& data) {
  network::Description d =
      network::Description::parse(R"json({"network": "FGNN(4) - Out(2)"})json", "test");
  d.schema = SyntheticTask(data).schema();
  network::save_model(file, network::Model(d, 0));
}

TEST(PaperFigures, AreThoseOfItsTables) {
  EXPECT_EQ(paper_figure("1", "D3", "FGNN")->agreement, 93.2);
  EXPECT_EQ(paper_figure("1", "D3", "FGNN")->microseconds, 382);
  EXPECT_EQ(paper_figure("2", "35-45", "FGNN")->agreement, 91.50);
  EXPECT_EQ(paper_figure("3", "tree", "FGNN")->agreement, 98.35);
  EXPECT_EQ(paper_figure("3", "tree", "MPNN"), nullptr) << "the paper left it out";
}

TEST(SyntheticReport, TableOneHasThePapersFigureBesideOurs) {
  const testing::Scratch scratch;
  SyntheticTaskOptions d3;
  save_untrained(scratch.path() / "d3.safetensors", d3);
  const auto rows = reproduce_synthetic(few({"1"}, scratch.path()));
  const Row& ad3 = row_of(rows, "D1", "AD3");
  EXPECT_EQ(ad3.paper, 80.7);
  EXPECT_EQ(ad3.unit, "%");
  EXPECT_EQ(ad3.instances, 4u);
  EXPECT_TRUE(ad3.ours > 0 && ad3.ours <= 100 && ad3.error >= 0);
  EXPECT_EQ(row_of(rows, "D2", "AD3 exact").ours, 100);
  EXPECT_EQ(row_of(rows, "D2", "exact").exact, 100);
  const Row& here = row_of(rows, "D3", "FGNN");
  EXPECT_TRUE(here.ours && here.microseconds);
  EXPECT_EQ(row_of(rows, "D3", "FGNN, repaired").feasible, 100);
  const Row& missing = row_of(rows, "D1", "FGNN");
  EXPECT_EQ(missing.ours, std::nullopt);
  EXPECT_EQ(missing.paper, 92.5);
  EXPECT_NE(missing.note.find("--dataset D1"), std::string::npos);
}

TEST(SyntheticReport, TheAblationReadsNetworksOfSmallerScopes) {
  const testing::Scratch scratch;
  SyntheticTaskOptions wrong;
  wrong.data.dataset = "D1";
  wrong.shown_order = 4;
  save_untrained(scratch.path() / "d1-order4.safetensors", wrong);
  const auto rows = reproduce_synthetic(few({"ablation"}, scratch.path()));
  EXPECT_TRUE(row_of(rows, "D1", "FGNN, scopes of 4").ours);
  EXPECT_EQ(row_of(rows, "D1", "FGNN, scopes of 4").paper, 81.7);
  EXPECT_NE(row_of(rows, "D2", "FGNN, scopes of 6").note.find("dataset=D2,shown_order=6"),
            std::string::npos);
}

TEST(SyntheticReport, ChainsAndTreesAndLengthsHaveTheirTables) {
  const testing::Scratch scratch;
  const auto rows = reproduce_synthetic(few({"2", "3"}, scratch.path()));
  EXPECT_EQ(row_of(rows, "tree", "max-product").ours, 100);
  EXPECT_EQ(row_of(rows, "D4", "AD3").proved, 100);
  EXPECT_EQ(row_of(rows, "35-45", "AD3").paper, 87.98);
}

TEST(SyntheticReport, TimesAreThoseOfOneInstance) {
  const testing::Scratch scratch;
  const auto rows = reproduce_synthetic(few({"timing"}, scratch.path()));
  const Row& pointnet = row_of(rows, "D1", "PointNet");
  EXPECT_EQ(pointnet.unit, "us");
  EXPECT_EQ(pointnet.paper, 45);
  EXPECT_EQ(pointnet.ours, pointnet.microseconds);
  EXPECT_EQ(row_of(rows, "D3", "AD3 exact").paper, 91092);
  EXPECT_EQ(row_of(rows, "D2", "DGCNN").paper, std::nullopt);
}

TEST(SyntheticReport, GridsHaveEverySolverAtTheNetworksTime) {
  const testing::Scratch scratch;
  auto options = few({"d5"}, scratch.path());
  options.side = 4;
  const auto rows = reproduce_synthetic(options);
  EXPECT_EQ(row_of(rows, "D5", "exact").ours, 100);
  EXPECT_EQ(row_of(rows, "D5", "AD3 exact, 1 s").exact, 100);
  for (const char* method : {"AD3", "MPLP", "max-product"}) {
    const Row& limited = row_of(rows, "D5", std::string(method) + ", equal time");
    EXPECT_EQ(limited.feasible, 100);
    EXPECT_GE(limited.score_gap, 0);
    EXPECT_EQ(limited.paper, std::nullopt);
  }
  EXPECT_NE(row_of(rows, "D5", "FGNN").note.find("dataset=D5,side=8"), std::string::npos);
}

TEST(SyntheticReport, SameSeedSameFigures) {
  const testing::Scratch scratch;
  auto options = few({"2"}, scratch.path());
  const auto first = reproduce_synthetic(options), again = reproduce_synthetic(options);
  options.seed = 1;
  const auto other = reproduce_synthetic(options);
  EXPECT_EQ(row_of(first, "15-25", "AD3").ours, row_of(again, "15-25", "AD3").ours);
  EXPECT_NE(row_of(first, "15-25", "AD3").score_gap, row_of(other, "15-25", "AD3").score_gap);
}

TEST(SyntheticReport, UnknownTablesAreRefused) {
  testing::expect_error(ErrorCode::usage, "--tables 4: there is no such table",
                        [] { reproduce_synthetic(few({"4"}, "")); });
}

TEST(SyntheticPage, HoldsTablesNotesAndPlots) {
  const testing::Scratch scratch;
  const auto options = few({"3"}, scratch.path());
  const auto rows = reproduce_synthetic(options);
  const std::string page = synthetic_page(rows, options);
  EXPECT_NE(page.find("<h2>Chains (D4) and trees</h2>"), std::string::npos);
  EXPECT_NE(page.find("max-product</td>"), std::string::npos);
  EXPECT_NE(page.find("98.35"), std::string::npos);
  EXPECT_NE(page.find("no tree.safetensors"), std::string::npos);
  EXPECT_EQ(page.find("Wrong structure"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  const bool drawn = page.find("<svg") != std::string::npos;
  EXPECT_NE(drawn, page.find("There is no gnuplot") != std::string::npos);
}

TEST(SyntheticPage, DrawsHowTheNetworksOfItsRowsLearned) {
  const testing::Scratch scratch;
  const char* curve = "{\"step\": 1, \"validation_accuracy\": 0.5}\n";
  const auto options = few({"3"}, scratch.path());
  std::ofstream(scratch.path() / "of-another-task.metrics.jsonl") << curve;
  const auto rows = reproduce_synthetic(options);
  EXPECT_EQ(synthetic_page(rows, options).find("How the networks learned"), std::string::npos);
  std::ofstream(scratch.path() / "tree.metrics.jsonl") << curve;
  const std::string page = synthetic_page(rows, options);
  EXPECT_NE(page.find("How the networks learned"), std::string::npos);
  EXPECT_EQ(page.find("of-another-task"), std::string::npos);
}

TEST(HtmlPage, EscapesWhatItIsGiven) {
  const std::string page =
      report::html_page("a < b", "x & y", {{"<h>", "", {{"\""}, {{"<td>"}}, 1}, {}}});
  EXPECT_NE(page.find("<h1>a &lt; b</h1>"), std::string::npos);
  EXPECT_NE(page.find("x &amp; y"), std::string::npos);
  EXPECT_NE(page.find("<h2>&lt;h&gt;</h2>"), std::string::npos);
  EXPECT_NE(page.find("&lt;td&gt;</td>"), std::string::npos);
}

}  // namespace
}  // namespace fgnn::synthetic
