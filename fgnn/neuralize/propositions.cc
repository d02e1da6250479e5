#include "fgnn/neuralize/propositions.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/graph/copy_variables.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/table.h"

namespace fgnn::neuralize {

Matrices lossless_aggregation(std::size_t k, std::size_t l) {
  Matrices q(k, l, k * l);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < l; ++j) q.at(i, j, i * l + j) = 1;
  }
  return q;
}

SumThroughMax sum_through_max(std::size_t k, std::size_t l) {
  SumThroughMax sum{lossless_aggregation(k, l), Dense(k * l, l, false)};
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < l; ++j) sum.q.at(i * l + j, j) = 1;
  }
  return sum;
}

Matrices sum_of_others(std::size_t k, std::size_t l) {
  Matrices q(k, k * l, l);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t other = 0; other < k; ++other) {
      if (other == i) continue;
      for (std::size_t j = 0; j < l; ++j) q.at(i, other * l + j, j) = 1;
    }
  }
  return q;
}

Layers row_maximum(std::size_t k, std::size_t l) {
  Layers layers;
  for (; l > 1; l = (l + 1) / 2) {
    const std::size_t pairs = l / 2, rest = l % 2;
    Dense units(l, 3 * pairs + 2 * rest, true), sum(units.out, pairs + rest, false);
    for (std::size_t p = 0; p < pairs; ++p) {
      const std::size_t a = 2 * p, b = a + 1, u = 3 * p;
      units.at(a, u) = 1;
      units.at(b, u) = -1;
      units.at(b, u + 1) = 1;
      units.at(b, u + 2) = -1;
      sum.at(u, p) = sum.at(u + 1, p) = 1;
      sum.at(u + 2, p) = -1;
    }
    if (rest != 0) {  // carried over
      units.at(l - 1, 3 * pairs) = 1;
      units.at(l - 1, 3 * pairs + 1) = -1;
      sum.at(3 * pairs, pairs) = 1;
      sum.at(3 * pairs + 1, pairs) = -1;
    }
    layers.push_back(for_rows(units, k));
    layers.push_back(for_rows(sum, k));
  }
  return layers;
}

Layers row_extreme(std::size_t k, std::size_t l, Extreme extreme) {
  // The numbers so far, from what the last ReLU layer holds.
  Dense now(l, l, false);
  for (std::size_t i = 0; i < l; ++i) now.at(i, i) = 1;
  Layers layers;
  const double sign = extreme == Extreme::maximum ? 1 : -1;
  for (; l > 1; l = (l + 1) / 2) {
    const std::size_t pairs = l / 2;
    Dense units(l, l, true), result(l, pairs + l % 2, false);
    for (std::size_t p = 0; p < pairs; ++p) {
      const std::size_t a = 2 * p, b = a + 1;
      units.at(b, a) = 1;
      units.at(a, b) = sign;
      units.at(b, b) = -sign;
      result.at(a, p) = 1;
      result.at(b, p) = sign;
    }
    if (l % 2 != 0) units.at(l - 1, l - 1) = result.at(l - 1, pairs) = 1;
    layers.push_back(merged(now, units));
    now = result;
  }
  layers.push_back(now);
  for (auto& layer : layers) layer = for_rows(layer, k);
  return layers;
}

Matrices decomposition(Shape shape, double forbidden) {
  const std::size_t z_count = configurations(shape);
  const std::size_t states = *std::max_element(shape.begin(), shape.end());
  Matrices q(shape.size(), z_count + 1, z_count * states);
  std::vector<State> x(shape.size(), 0);
  std::size_t z = 0;
  do {
    for (std::size_t j = 0; j < shape.size(); ++j) {
      for (State s = 0; s < states; ++s) {
        const std::size_t column = z * states + s;
        if (s == x[j]) {
          q.at(j, z, column) = 1 / static_cast<double>(shape.size());
        } else {
          q.at(j, z_count, column) = forbidden;
        }
      }
    }
    ++z;
  } while (next_configuration(shape, x));
  return q;
}

Excess excess(std::size_t states, std::size_t inputs, double ceiling, bool of_scores) {
  Excess e{Dense(inputs * states, states * states, true),
           row_extreme(states, states, Extreme::maximum), Dense(states, 2 * states, true),
           Dense(2 * states, states, false)};
  const double sign = of_scores ? -1 : 1;
  for (std::size_t k = 0; k < inputs; ++k) {
    for (std::size_t x = 0; x < states; ++x) {
      for (std::size_t other = 0; other < states; ++other) {
        if (other == x) continue;
        e.difference.at(k * states + x, x * states + other) = sign;
        e.difference.at(k * states + other, x * states + other) = -sign;
      }
    }
  }
  e.above.bias.resize(2 * states);
  for (std::size_t x = 0; x < states; ++x) {
    e.above.at(x, x) = e.above.at(x, states + x) = 1;
    e.above.bias[states + x] = -ceiling;
    e.clamp.at(x, x) = 1;
    e.clamp.at(states + x, x) = -1;
  }
  return e;
}

namespace {

// The layers, reading what the linear layer `first` makes.
Layers behind(const Dense& first, Layers layers) {
  layers.front() = merged(first, layers.front());
  return layers;
}

}  // namespace

VariableToFactor variable_to_factor(std::size_t states, std::size_t terms, std::size_t positions) {
  Dense sums(states + terms * states, terms * states, false);  // n(x) + phi(z, x), by z and x
  for (std::size_t z = 0; z < terms; ++z) {
    for (std::size_t x = 0; x < states; ++x) {
      sums.at(x, z * states + x) = 1;
      sums.at(states + z * states + x, z * states + x) = 1;
    }
  }
  return {behind(sums, row_extreme(terms, states, Extreme::minimum)),
          lossless_aggregation(positions, terms), sum_of_others(positions, terms)};
}

FactorToVariable factor_to_variable(std::size_t states, std::size_t terms, std::size_t slots) {
  Dense sums(terms + terms * states, states * terms, false);  // b(z) + phi(z, x), by x and z
  for (std::size_t z = 0; z < terms; ++z) {
    for (std::size_t x = 0; x < states; ++x) {
      sums.at(z, x * terms + z) = 1;
      sums.at(terms + z * states + x, x * terms + z) = 1;
    }
  }
  return {behind(sums, row_extreme(states, terms, Extreme::minimum)),
          lossless_aggregation(slots, states), sum_of_others(slots, states)};
}

FactorGraph non_negative(const FactorGraph& graph) {
  const auto lifted = [](std::vector<double> values, const std::string& subject) {
    const double least = *std::min_element(values.begin(), values.end());
    if (least == kForbidden) {
      throw Error(ErrorCode::unsupported, subject, "forbids a state",
                  "only finite log-potentials can be made non-negative by subtracting the least");
    }
    for (double& v : values) v -= least;
    return values;
  };
  GraphBuilder builder;
  copy_variables(graph.with_unaries(std::vector<double>(graph.total_states())), builder);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const auto unary = graph.unary(v);
    builder.unary(v, lifted({unary.begin(), unary.end()}, graph.name(v)));
  }
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const Table table = expand(graph, c);
    builder.factor(graph.scope(c), Table(table.shape(), lifted(table.values(), graph.describe(c))));
  }
  return std::move(builder).build();
}

}  // namespace fgnn::neuralize
