#include "tests/reference/random_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn::testing {
namespace {

constexpr double kShareForbidden = 0.15;

double random_log_value(Rng& rng, double largest) {
  return rng.uniform() < kShareForbidden ? kForbidden : rng.uniform(-largest, largest);
}

std::vector<double> random_log_values(Rng& rng, std::size_t n, double largest) {
  std::vector<double> values(n);
  for (double& v : values) v = random_log_value(rng, largest);
  return values;
}

std::shared_ptr<const Potential> random_sparse(Rng& rng, const std::vector<State>& shape,
                                               double largest) {
  const std::uint64_t entries = configurations(shape);
  std::vector<std::uint64_t> listed(entries);
  std::iota(listed.begin(), listed.end(), std::uint64_t{0});
  rng.shuffle(listed);
  listed.resize(1 + rng.below(std::min<std::uint64_t>(entries, 12)));
  std::vector<State> rows;
  for (std::uint64_t index : listed) {
    std::vector<State> row(shape.size());
    for (std::size_t i = shape.size(); i-- > 0; index /= shape[i]) {
      row[i] = static_cast<State>(index % shape[i]);
    }
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const double otherwise = rng.below(2) ? kForbidden : rng.uniform(-largest, 0);
  return std::make_shared<Sparse>(shape, otherwise, rows,
                                  random_log_values(rng, listed.size(), largest));
}

std::shared_ptr<const Potential> random_low_rank(Rng& rng, const std::vector<State>& shape,
                                                 double largest) {
  // A positive first term that dominates the signed ones keeps the sum positive.
  const std::size_t rank = 1 + rng.below(4);
  std::vector<double> lambda(rank);
  std::vector<std::vector<double>> weights;
  for (std::size_t r = 0; r < rank; ++r) lambda[r] = r == 0 ? 1.0 : 0.3;
  for (State states : shape) {
    auto& matrix = weights.emplace_back();
    for (State x = 0; x < states; ++x) {
      for (std::size_t r = 0; r < rank; ++r) {
        matrix.push_back(r == 0 ? rng.uniform(1, 2) : rng.uniform(-1, 1));
      }
    }
  }
  return std::make_shared<LowRank>(shape, lambda, weights, rng.uniform(-largest / 2, largest / 2));
}

// All equal or pay, one rule for all labels, or one for each; hard ones among them.
std::shared_ptr<const Potential> random_robust_potts(Rng& rng, const std::vector<State>& shape,
                                                     double largest) {
  const double otherwise = random_log_value(rng, largest);
  const State states = *std::ranges::max_element(shape);
  std::vector<RobustPotts::Label> labels(rng.below(2) ? 1 : states);
  for (auto& label : labels) {
    label.best = random_log_value(rng, largest);
    if (rng.below(3)) label.slope = rng.uniform(0, largest);
  }
  return std::make_shared<RobustPotts>(otherwise, labels);
}

}  // namespace

const std::vector<std::string>& all_kinds() {
  static const std::vector<std::string> kinds{"table", "sparse", "low-rank",      "max-rank-1",
                                              "count", "parity", "all-different", "robust-potts"};
  return kinds;
}

std::shared_ptr<const Potential> random_potential(Rng& rng, const std::string& kind,
                                                  std::vector<State> shape, double largest) {
  const bool binary = std::ranges::all_of(shape, [](State s) { return s == 2; });
  if (kind == "sparse") return random_sparse(rng, shape, largest);
  if (kind == "low-rank") return random_low_rank(rng, shape, largest);
  if (kind == "parity" && binary) return std::make_shared<Parity>(rng.below(2) == 1);
  if (kind == "all-different") return std::make_shared<AllDifferent>();
  if (kind == "robust-potts") return random_robust_potts(rng, shape, largest);
  const auto width = std::accumulate(shape.begin(), shape.end(), std::size_t{0});
  if (kind == "max-rank-1") {
    std::vector<std::vector<double>> terms(1 + rng.below(4));
    for (auto& term : terms) term = random_log_values(rng, width, largest);
    return std::make_shared<MaxRankOne>(shape, terms);
  }
  if (kind == "count") {
    Count::Chosen chosen;
    for (State states : shape) {
      auto& set = chosen.emplace_back();
      for (State x = 0; x < states; ++x) {
        if (rng.below(2)) set.push_back(x);
      }
    }
    return std::make_shared<Count>(random_log_values(rng, rng.below(shape.size() + 2), largest),
                                   random_log_value(rng, largest), chosen);
  }
  return std::make_shared<Table>(shape, random_log_values(rng, configurations(shape), largest));
}

FactorGraph random_graph(Rng& rng, const RandomGraphOptions& options) {
  while (true) {
    GraphBuilder b;
    const std::size_t n =
        options.min_variables + rng.below(options.max_variables - options.min_variables + 1);
    for (std::size_t v = 0; v < n; ++v) {
      const State states =
          options.binary ? 2 : static_cast<State>(1 + rng.below(options.max_states));
      const VariableId id = b.variable("v" + std::to_string(v), states);
      if (rng.below(3)) b.unary(id, random_log_values(rng, states, options.largest));
    }
    b.constant(rng.uniform(-1, 1));
    const auto add = [&](const std::vector<VariableId>& scope) {
      std::vector<State> shape;
      for (VariableId v : scope) shape.push_back(b.states(v));
      const auto& kind = options.kinds[rng.below(options.kinds.size())];
      b.factor(std::span<const VariableId>(scope),
               random_potential(rng, kind, shape, options.largest));
    };
    if (options.tree) {
      // Each factor joins one variable that is already in the tree to some that are not.
      for (VariableId next = 1; next < n;) {
        const auto fresh = 1 + rng.below(std::min<std::size_t>(options.max_arity - 1, n - next));
        std::vector<VariableId> scope{static_cast<VariableId>(rng.below(next))};
        for (std::size_t i = 0; i < fresh; ++i) scope.push_back(next++);
        rng.shuffle(scope);
        add(scope);
      }
    } else {
      for (std::size_t f = rng.below(options.max_factors + 1); f > 0; --f) {
        std::vector<VariableId> ids(n);
        std::iota(ids.begin(), ids.end(), VariableId{0});
        rng.shuffle(ids);
        ids.resize(1 + rng.below(std::min(n, options.max_arity)));
        add(ids);
      }
    }
    FactorGraph graph = std::move(b).build();
    if (!options.feasible) return graph;
    std::vector<State> x(n, 0);
    do {
      if (graph.score(x) != kForbidden) return graph;
    } while (next_configuration(graph.states(), x));
  }
}

FactorGraph random_grid(Rng& rng, std::size_t side) {
  GraphBuilder b;
  const auto x = b.variables("x", side * side, 2);
  for (VariableId v : x) b.unary(v, {0, rng.uniform(-1, 1)});
  const auto join = [&](std::size_t i, std::size_t j) {
    const double w = rng.uniform(-2, 2);
    b.factor({x[i], x[j]}, Table{{2, 2}, {w, 0, 0, w}});
  };
  for (std::size_t r = 0; r < side; ++r) {
    for (std::size_t c = 0; c < side; ++c) {
      if (c + 1 < side) join(r * side + c, r * side + c + 1);
      if (r + 1 < side) join(r * side + c, (r + 1) * side + c);
    }
  }
  return std::move(b).build();
}

std::vector<State> random_assignment(Rng& rng, const FactorGraph& graph) {
  std::vector<State> x;
  for (State states : graph.states()) x.push_back(static_cast<State>(rng.below(states)));
  return x;
}

FactorGraph with_tables(const FactorGraph& graph) {
  GraphBuilder b;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    b.unary(b.variable("v" + std::to_string(v), graph.states(v)), graph.unary(v));
  }
  b.constant(graph.constant());
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    b.factor(graph.scope(c), expand(graph.potential(c), graph.shape(c)));
  }
  return std::move(b).build();
}

}  // namespace fgnn::testing
