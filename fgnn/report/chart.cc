#include "fgnn/report/chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/io/gnuplot.h"

namespace fgnn::report {
namespace {

std::string head(const std::string& name, const std::string& y_label, int height) {
  return fmt::format(
      "set terminal svg noenhanced size 960,{} font 'sans,12' name {} background 'white'\n"
      "set grid ytics\nset ylabel {}\nset key outside top center horizontal\n",
      height, gnuplot_string(name), gnuplot_string(y_label));
}

}  // namespace

std::string svg(const BarChart& chart) {
  std::string script = head(chart.name, chart.y_label, 420) + "$data << E\n";
  for (const auto& group : chart.groups) {
    script += gnuplot_string(group.label);
    for (const auto& value : group.values) script += value ? fmt::format(" {}", *value) : " NaN";
    script += "\n";
  }
  script +=
      "E\nset style data histogram\nset style histogram cluster gap 1\nset style fill solid 0.8\n"
      "set xtics rotate by -35 nomirror\nset rmargin 12\n";
  script += chart.logarithmic ? "set logscale y\n" : "set yrange [0:*]\n";
  std::string plots;  // of series with a bar: gnuplot refuses those without
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto has_bar = [&](const BarChart::Group& group) { return group.values[i].has_value(); };
    if (std::ranges::none_of(chart.groups, has_bar)) continue;
    plots += fmt::format("{} $data using {}:xtic(1) title {}", plots.empty() ? "plot" : ",", i + 2,
                         gnuplot_string(chart.series[i]));
  }
  return plots.empty() ? std::string() : gnuplot_inline(script + plots + "\n");
}

std::string svg(const PointChart& chart) {
  if (chart.points.empty()) return {};
  std::string script = head(chart.name, chart.y_label, 480) + "$data << E\n";
  for (const auto& p : chart.points)
    script += fmt::format("{} {} {}\n", gnuplot_string(p.label), p.x, p.y);
  script += fmt::format(
      "E\nset logscale x\nset xlabel {}\nset offsets graph 0.1, graph 0.25, graph 0.1, graph 0.05\n"
      "set yrange [0:*]\nunset key\nplot $data using 2:3 with points pt 7 ps 0.8, "
      "$data using 2:3:1 with labels left offset 0.8,0.5\n",
      gnuplot_string(chart.x_label));
  return gnuplot_inline(script);
}

std::string svg(const LineChart& chart) {
  std::string script = head(chart.name, chart.y_label, 420);
  std::string plots;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    script += fmt::format("$line{} << E\n", i);
    for (const auto& [x, y] : chart.lines[i].points) script += fmt::format("{} {}\n", x, y);
    script += "E\n";
    plots += fmt::format("{} $line{} with lines lw 2 title {}", i ? "," : "plot", i,
                         gnuplot_string(chart.lines[i].label));
  }
  return gnuplot_inline(script +
                        fmt::format("set xlabel {}\n{}\n", gnuplot_string(chart.x_label), plots));
}

}  // namespace fgnn::report
