#include <cmath>

#include "fgnn/experiments/wide/models.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/table.h"

namespace fgnn::wide {
namespace {

constexpr std::size_t kMostVariables = 10'000;  // all pairs are looked at
constexpr State kMostStates = 256;

// Costs of one table; entry `allowed`, that of the planted assignment, is never forbidden.
std::vector<double> costs(const WcspOptions& options, std::size_t entries, std::size_t allowed,
                          Rng& rng) {
  std::vector<double> values(entries, 0);
  for (std::size_t i = 0; i < entries; ++i) {
    if (rng.uniform() >= options.tightness) continue;
    const double cost = 1 + static_cast<double>(rng.below(options.costs));
    const bool forbids = rng.uniform() < options.hard;
    values[i] = forbids && i != allowed ? kForbidden : -cost;
  }
  return values;
}

}  // namespace

void WcspOptions::validate() const {
  check_whole("--variables", variables, 1, kMostVariables);
  check_whole("--states", states, 2, kMostStates);
  check_whole("--costs", costs, 1, 1'000'000);
  check_share("--density", density);
  check_share("--tightness", tightness);
  check_share("--hard", hard);
}

FactorGraph instance(const WcspOptions& options, Rng rng) {
  options.validate();
  const std::size_t n = options.variables, d = options.states;
  GraphBuilder builder;
  const auto x = builder.variables("x", n, options.states);
  std::vector<std::size_t> planted(n);
  for (std::size_t& state : planted) state = rng.below(d);
  for (std::size_t v = 0; v < n; ++v) {
    builder.unary(x[v], costs(options, d, planted[v], rng));
  }
  // Of all pairs, in order, as many as wanted: each is taken with the share that is still needed
  // of those left (Knuth's algorithm S).
  std::size_t left = n * (n - 1) / 2;
  auto wanted = static_cast<std::size_t>(std::llround(options.density * static_cast<double>(left)));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b, --left) {
      if (rng.below(left) >= wanted) continue;
      --wanted;
      builder.factor({x[a], x[b]}, Table({options.states, options.states},
                                         costs(options, d * d, planted[a] * d + planted[b], rng)));
    }
  }
  return std::move(builder).build();
}

}  // namespace fgnn::wide
