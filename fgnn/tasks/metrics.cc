#include "fgnn/tasks/metrics.h"

#include <algorithm>
#include <cmath>

namespace fgnn::tasks {
namespace {

// The plain numbers of a Metrics, in one order for everybody.
template <class M>
auto fields(M& m) {
  return std::vector<decltype(&m.rows)>{&m.rows,   &m.loss,   &m.correct,         &m.absolute,
                                        &m.graphs, &m.solved, &m.correct_correct, &m.correct_rows,
                                        &m.rows_rows};
}

}  // namespace

void Metrics::add(const Metrics& other) {
  const auto mine = fields(*this);
  const auto more = fields(other);
  for (std::size_t i = 0; i < mine.size(); ++i) *mine[i] += *more[i];
  for (const auto& m : other.named) add_named(m.name, m.unit, m.sum, m.weight);
}

void Metrics::add_graph(double correct_of_it, double rows_of_it) {
  rows += rows_of_it;
  correct += correct_of_it;
  graphs += 1;
  solved += correct_of_it == rows_of_it;
  correct_correct += correct_of_it * correct_of_it;
  correct_rows += correct_of_it * rows_of_it;
  rows_rows += rows_of_it * rows_of_it;
}

void Metrics::add_named(std::string_view name, std::string_view unit, double sum, double weight) {
  auto at = std::find_if(named.begin(), named.end(), [&](const auto& m) { return m.name == name; });
  if (at == named.end()) {
    at = named.insert(at, {std::string(name), std::string(unit), 0, 0});
  }
  at->sum += sum;
  at->weight += weight;
}

double Metrics::standard_error() const {
  if (graphs < 2) return 0;
  // Of a ratio: graphs may have different numbers of rows. The sums are of whole numbers, exact, so
  // that their difference has not lost anything.
  const double mean = accuracy();
  const double spread = correct_correct - 2 * mean * correct_rows + mean * mean * rows_rows;
  return std::sqrt(std::max(0.0, spread) * graphs / (graphs - 1)) / rows;
}

std::vector<double> Metrics::numbers() const {
  std::vector<double> all;
  for (const double* x : fields(*this)) all.push_back(*x);
  for (const auto& m : named) all.insert(all.end(), {m.sum, m.weight});
  return all;
}

void Metrics::set_numbers(const std::vector<double>& numbers) {
  auto from = numbers.begin();
  for (double* x : fields(*this)) *x = *from++;
  for (auto& m : named) {
    m.sum = *from++;
    m.weight = *from++;
  }
}

}  // namespace fgnn::tasks
