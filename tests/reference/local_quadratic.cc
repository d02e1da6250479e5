#include "tests/reference/local_quadratic.h"

#include <algorithm>
#include <cmath>

namespace fgnn::testing {
namespace {

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

std::vector<double> coordinates(Shape shape, const std::vector<State>& x) {
  std::vector<double> c;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    if (shape[j] == 2) {
      c.push_back(x[j] == 1);
    } else {
      for (State s = 0; s < shape[j]; ++s) c.push_back(x[j] == s);
    }
  }
  return c;
}

}  // namespace

// Frank-Wolfe with pairwise steps (Lacoste-Julien, Jaggi 2015): weight moves from the worst joint
// state in use to the best of all, as much as is best, until there is nothing to gain. The gain
// bounds the squared distance from the solution.
std::vector<double> local_quadratic(Shape shape, std::span<const double> values,
                                    std::span<const double> a, double step) {
  std::vector<std::vector<double>> vertices;
  std::vector<double> gains, weights;
  std::vector<State> x(shape.size(), 0);
  std::size_t entry = 0;
  do {
    const double value = values[entry++];
    if (value == kForbidden) continue;
    vertices.push_back(coordinates(shape, x));
    gains.push_back(value / step);
  } while (next_configuration(shape, x));
  weights.assign(vertices.size(), 0.0);
  weights[0] = 1;
  std::vector<double> q = vertices[0], residual(q.size());
  for (int round = 0; round < 1000000; ++round) {
    for (std::size_t i = 0; i < q.size(); ++i) residual[i] = a[i] - q[i];
    std::size_t best = 0, worst = 0;
    std::vector<double> slope(vertices.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      slope[v] = gains[v] + dot(residual, vertices[v]);
      if (slope[v] > slope[best]) best = v;
      if (weights[v] > 0 && (weights[worst] == 0 || slope[v] < slope[worst])) worst = v;
    }
    const double gain = slope[best] - slope[worst];
    if (gain < 1e-14) break;
    std::vector<double> direction(q.size());
    for (std::size_t i = 0; i < q.size(); ++i)
      direction[i] = vertices[best][i] - vertices[worst][i];
    const double length = dot(direction, direction);
    const double move = std::min(weights[worst], length > 0 ? gain / length : kInfinity);
    weights[best] += move;
    weights[worst] = move == weights[worst] ? 0.0 : weights[worst] - move;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += move * direction[i];
  }
  return q;
}

}  // namespace fgnn::testing
