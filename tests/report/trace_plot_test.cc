#include "fgnn/report/trace_plot.h"

#include <gtest/gtest.h>

#include "fgnn/io/gnuplot.h"
#include "fgnn/io/outside_program.h"
#include "fgnn/io/read_text.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::report {
namespace {

Result anytime() {
  Result result;
  result.method = "auto";
  result.status = Status::time_limit;
  result.trace = {{0, -5, kInfinity}, {0.5, -4, 2}, {1, -3, 1}};
  result.seconds = 2;
  result.score = -3;
  result.bound = 0.5;
  return result;
}

TEST(TracePlot, EndsWhereTheMethodDid) {
  const auto points = whole_trace(anytime());
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points.back().seconds, 2);
  EXPECT_EQ(points.back().bound, 0.5);
}

TEST(TracePlot, LeavesOutWhatIsNotKnownYet) {
  const std::string script = trace_plot_script(anytime());
  EXPECT_NE(script.find("$bound << E\n0.5 2\n1 1\n2 0.5\nE\n"), std::string::npos) << script;
  EXPECT_NE(script.find("$score << E\n1e-05 -5\n0.5 -4\n1 -3\n2 -3\nE\n"), std::string::npos)
      << script;
  Result scored = anytime();
  scored.bound = kInfinity;
  scored.trace.clear();
  EXPECT_EQ(trace_plot_script(scored).find("$bound"), std::string::npos);
  EXPECT_NE(trace_plot_script(scored).find("$score << E\n2 -3\nE\n"), std::string::npos);
}

TEST(TracePlot, OfNothingIsRefused) {
  Result nothing;
  EXPECT_EQ(trace_plot_script(nothing), "");
  testing::expect_error(ErrorCode::unsupported, "neither a score nor a bound",
                        [&] { plot_trace(nothing, "unused.svg"); });
}

TEST(TracePlot, IsDrawnByGnuplot) {
  if (!have_program("gnuplot")) GTEST_SKIP() << "there is no gnuplot";
  const testing::Scratch scratch;
  const auto file = scratch.path() / "trace.svg";
  plot_trace(anytime(), file.string());
  EXPECT_NE(read_text(file).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace fgnn::report
