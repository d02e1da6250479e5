#include "fgnn/report/chart.h"

#include <gtest/gtest.h>

#include "fgnn/io/outside_program.h"

namespace fgnn::report {
namespace {

class Charts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_program("gnuplot")) GTEST_SKIP() << "there is no gnuplot";
  }
};

void expect_drawn(const std::string& svg, const std::string& label) {
  EXPECT_TRUE(svg.starts_with("<svg")) << "no declaration, to stand inside a page";
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_NE(svg.find(label), std::string::npos);
}

TEST_F(Charts, BarsMayBeMissing) {
  BarChart chart{"bars", "percent", false, {"here", "paper"}, {}};
  chart.groups = {{"first", {50, 60}}, {"second", {std::nullopt, 70}}};
  expect_drawn(svg(chart), "here");
  for (auto& group : chart.groups) group.values[0].reset();
  expect_drawn(svg(chart), "paper");
  EXPECT_EQ(svg(chart).find("here"), std::string::npos);
  for (auto& group : chart.groups) group.values[1].reset();
  EXPECT_EQ(svg(chart), "");
}

TEST_F(Charts, PointsAndLinesCarryTheirLabels) {
  expect_drawn(svg(PointChart{"points", "time", "gap", {{"it's \"AD3\"", 10, 1}, {"b", 100, 2}}}),
               "AD3");
  EXPECT_EQ(svg(PointChart{"points", "time", "gap", {}}), "");
  expect_drawn(svg(LineChart{"lines", "step", "accuracy", {{"d3", {{1, 50}, {2, 90}}}}}), "d3");
}

}  // namespace
}  // namespace fgnn::report
