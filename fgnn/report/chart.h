// Charts as SVG, drawn by gnuplot. Empty where there is no gnuplot.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fgnn::report {

// Groups of bars; a bar without a value is left out.
struct BarChart {
  std::string name;  // unique on a page
  std::string y_label;
  bool logarithmic = false;
  std::vector<std::string> series;
  struct Group {
    std::string label;
    std::vector<std::optional<double>> values;  // by series
  };
  std::vector<Group> groups;
};
std::string svg(const BarChart& chart);

// Labelled points, x logarithmic.
struct PointChart {
  std::string name, x_label, y_label;
  struct Point {
    std::string label;
    double x, y;
  };
  std::vector<Point> points;
};
std::string svg(const PointChart& chart);

struct LineChart {
  std::string name, x_label, y_label;
  struct Line {
    std::string label;
    std::vector<std::pair<double, double>> points;
  };
  std::vector<Line> lines;
};
std::string svg(const LineChart& chart);

}  // namespace fgnn::report
