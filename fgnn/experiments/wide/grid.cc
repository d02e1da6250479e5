#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/experiments/wide/models.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/table.h"

namespace fgnn::wide {
namespace {

constexpr std::size_t kMostSide = 10'000, kMostVariables = 10'000'000;
constexpr State kMostStates = 256;

Table potts(State states, double coupling) {
  std::vector<double> values(std::size_t{states} * states, 0);
  for (State a = 0; a < states; ++a) values[std::size_t{a} * states + a] = coupling;
  return {{states, states}, std::move(values)};
}

double coupling(const GridOptions& options, Rng& rng) {
  const double low = options.couplings == Couplings::attractive ? 0 : -options.strength;
  const double high = options.couplings == Couplings::repulsive ? 0 : options.strength;
  return rng.uniform(low, high);
}

}  // namespace

void GridOptions::validate() const {
  check_whole("--rows", rows, 1, kMostSide);
  check_whole("--columns", columns, 1, kMostSide);
  check_whole("--rows times --columns", rows * columns, 1, kMostVariables);
  check_whole("--states", states, 2, kMostStates);
  for (const double number : {strength, field}) {
    if (number >= 0 && number <= 100) continue;
    throw Error(ErrorCode::usage, "--strength and --field", "must be between 0 and 100");
  }
}

FactorGraph instance(const GridOptions& options, Rng rng) {
  options.validate();
  const std::size_t variables = options.rows * options.columns;
  GraphBuilder builder;
  builder.reserve(variables, 2 * variables, 4 * variables);
  const auto x = builder.variables("x", variables, options.states);
  std::vector<double> unary(options.states);
  for (const VariableId v : x) {
    for (double& value : unary) value = rng.uniform(-options.field, options.field);
    builder.unary(v, unary);
  }
  for (std::size_t r = 0; r < options.rows; ++r) {
    for (std::size_t c = 0; c < options.columns; ++c) {
      const VariableId here = x[r * options.columns + c];
      const auto join = [&](std::size_t other) {
        builder.factor({here, x[other]}, potts(options.states, coupling(options, rng)));
      };
      if (c + 1 < options.columns) join(r * options.columns + c + 1);
      if (r + 1 < options.rows) join((r + 1) * options.columns + c);
    }
  }
  return std::move(builder).build();
}

}  // namespace fgnn::wide
