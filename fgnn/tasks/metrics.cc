#include "fgnn/tasks/metrics.h"

#include <algorithm>
#include <cmath>

namespace fgnn::tasks {
void Counts::add(const Counts& o) {
  rows += o.rows;
  loss += o.loss;
  correct += o.correct;
  absolute += o.absolute;
  graphs += o.graphs;
  solved += o.solved;
  correct_correct += o.correct_correct;
  correct_rows += o.correct_rows;
  rows_rows += o.rows_rows;
}

void Counts::add_graph(double correct_of_it, double rows_of_it) {
  rows += rows_of_it;
  correct += correct_of_it;
  graphs += 1;
  solved += correct_of_it == rows_of_it;
  correct_correct += correct_of_it * correct_of_it;
  correct_rows += correct_of_it * rows_of_it;
  rows_rows += rows_of_it * rows_of_it;
}

void Metrics::add(const Metrics& other) {
  Counts::add(other);
  for (const auto& m : other.named) add_named(m.name, m.unit, m.sum, m.weight);
}

void Metrics::add_named(std::string_view name, std::string_view unit, double sum, double weight) {
  auto at = std::find_if(named.begin(), named.end(), [&](const auto& m) { return m.name == name; });
  if (at == named.end()) {
    at = named.insert(at, {std::string(name), std::string(unit), 0, 0});
  }
  at->sum += sum;
  at->weight += weight;
}

double Counts::standard_error() const {
  if (graphs < 2) return 0;
  // Of a ratio: graphs may have different numbers of rows. The sums are of whole numbers, exact, so
  // that their difference has not lost anything.
  const double mean = accuracy();
  const double spread = correct_correct - 2 * mean * correct_rows + mean * mean * rows_rows;
  return std::sqrt(std::max(0.0, spread) * graphs / (graphs - 1)) / rows;
}

}  // namespace fgnn::tasks
