#include "fgnn/report/trace_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/io/gnuplot.h"

namespace fgnn::report {
namespace {

constexpr double kEarliest = 1e-5;  // seconds: the axis is logarithmic

// A curve of steps: the value holds until the next point.
std::string data(const std::vector<TracePoint>& trace, double TracePoint::*value) {
  std::string text;
  for (const TracePoint& point : trace) {
    if (!std::isfinite(point.*value)) continue;
    text += fmt::format("{} {}\n", std::max(point.seconds, kEarliest), point.*value);
  }
  return text;
}

}  // namespace

std::vector<TracePoint> whole_trace(const Result& result) {
  std::vector<TracePoint> trace = result.trace;
  TracePoint end{result.seconds, result.score, result.bound};
  if (!trace.empty()) end.seconds = std::max(end.seconds, trace.back().seconds);
  trace.push_back(end);
  return trace;
}

std::string trace_plot_script(const Result& result) {
  const std::vector<TracePoint> trace = whole_trace(result);
  std::string blocks, plots;
  const auto add = [&](const char* name, double TracePoint::*value) {
    const std::string points = data(trace, value);
    if (points.empty()) return;
    blocks += fmt::format("${} << E\n{}E\n", name, points);
    plots += fmt::format("{} ${} with steps lw 2 title '{}', ${} with points pt 7 ps 0.4 notitle",
                         plots.empty() ? "plot" : ",", name, name, name);
  };
  add("bound", &TracePoint::bound);
  add("score", &TracePoint::score);
  if (plots.empty()) return {};
  return fmt::format(
      "set terminal svg noenhanced size 800,420 font 'sans,12' background 'white'\n"
      "set grid\nset logscale x\nset xlabel 'seconds'\nset ylabel 'log score'\n"
      "set title {}\nset key bottom right\n{}{}\n",
      gnuplot_string(result.brief_report()), blocks, plots);
}

void plot_trace(const Result& result, const std::string& file) {
  const std::string script = trace_plot_script(result);
  if (script.empty()) {
    throw Error(ErrorCode::unsupported, "--plot", "there is neither a score nor a bound to draw");
  }
  gnuplot_to_file(script, file);
}

}  // namespace fgnn::report
