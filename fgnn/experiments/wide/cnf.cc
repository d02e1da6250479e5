#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/experiments/wide/models.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/table.h"

namespace fgnn::wide {
namespace {

constexpr std::size_t kMostVariables = 1'000'000, kMostLiterals = 10;
constexpr double kMostRatio = 100;

// A clause forbids the one state in which all of its literals are false; the state is a number
// whose first variable has the highest bit, as in tables.
std::vector<PotentialId> clauses(GraphBuilder& builder, std::size_t literals) {
  const std::size_t states = std::size_t{1} << literals;
  std::vector<PotentialId> all;
  for (std::size_t forbidden = 0; forbidden < states; ++forbidden) {
    std::vector<double> values(states, 0);
    values[forbidden] = kForbidden;
    all.push_back(builder.potential(Table(std::vector<State>(literals, 2), std::move(values))));
  }
  return all;
}

}  // namespace

void CnfOptions::validate() const {
  check_whole("--literals", literals, 1, kMostLiterals);
  check_whole("--variables", variables, literals, kMostVariables);
  if (!(ratio >= 0 && ratio <= kMostRatio)) {
    throw Error(ErrorCode::usage, "--ratio", "must be between 0 and 100");
  }
  if (!(weight >= 0 && weight <= 100)) {
    throw Error(ErrorCode::usage, "--weight", "must be between 0 and 100");
  }
}

FactorGraph instance(const CnfOptions& options, Rng rng) {
  options.validate();
  GraphBuilder builder;
  const auto x = builder.variables("x", options.variables, 2);
  std::vector<State> planted(options.variables);
  for (State& state : planted) state = static_cast<State>(rng.below(2));
  for (const VariableId v : x) {
    builder.unary(v, {0, rng.uniform(-options.weight, options.weight)});
  }
  const auto potentials = clauses(builder, options.literals);
  const auto count = static_cast<std::size_t>(
      std::llround(options.ratio * static_cast<double>(options.variables)));
  std::vector<VariableId> scope;
  for (std::size_t c = 0; c < count; ++c) {
    scope.clear();
    std::size_t forbidden = 0, of_planted = 0;
    while (scope.size() < options.literals) {
      const VariableId v = x[rng.below(options.variables)];
      if (std::ranges::find(scope, v) == scope.end()) scope.push_back(v);
    }
    for (const VariableId v : scope) {
      forbidden = 2 * forbidden + rng.below(2);
      of_planted = 2 * of_planted + planted[v];
    }
    // Signs that the planted assignment breaks are drawn again, all others being as likely.
    while (options.satisfiable && forbidden == of_planted) {
      forbidden = rng.below(potentials.size());
    }
    builder.factor(std::span<const VariableId>(scope), potentials[forbidden]);
  }
  return std::move(builder).build();
}

}  // namespace fgnn::wide
