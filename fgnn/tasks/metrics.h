// How well a network does: sums over instances, so that parts add up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fgnn::tasks {

// Plain numbers, that travel between processes as they are.
struct Counts {
  double rows = 0, loss = 0, correct = 0, absolute = 0;
  double graphs = 0, solved = 0;  // graphs with every row correct
  // Over graphs, for the standard error: correct rows squared, times rows, and rows squared.
  double correct_correct = 0, correct_rows = 0, rows_rows = 0;

  void add(const Counts& other);
  void add_graph(double correct_of_it, double rows_of_it);  // counts its rows and whether solved
  double mean_loss() const { return loss / rows; }
  double accuracy() const { return correct / rows; }
  double solved_share() const { return solved / graphs; }
  double standard_error() const;  // of the accuracy, over graphs
};

// A measure of a task's own, such as the mean absolute error of one target: sum / weight.
struct NamedMetric {
  std::string name, unit;
  double sum = 0, weight = 0;
  double value() const { return weight > 0 ? sum / weight : 0; }
};

struct Metrics : Counts {
  std::vector<NamedMetric> named;

  void add(const Metrics& other);
  // To the measure of this name, which is made at the first call.
  void add_named(std::string_view name, std::string_view unit, double sum, double weight);
};

}  // namespace fgnn::tasks
