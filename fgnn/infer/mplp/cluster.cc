#include "fgnn/infer/mplp/cluster.h"

#include <algorithm>
#include <set>

#include "fgnn/core/budget.h"
#include "fgnn/graph/copy_variables.h"
#include "fgnn/potentials/table.h"

namespace fgnn::lp {
namespace {

constexpr std::size_t kMostCandidates = 20000;  // clusters looked at per join

std::vector<VariableId> scope_of(const FactorGraph& graph, const std::vector<FactorId>& factors) {
  std::vector<VariableId> all;
  for (FactorId c : factors) all.insert(all.end(), graph.scope(c).begin(), graph.scope(c).end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<State> shape_of(const FactorGraph& graph, const std::vector<VariableId>& scope) {
  std::vector<State> shape;
  for (VariableId v : scope) shape.push_back(graph.states(v));
  return shape;
}

// Sum of the factors' tables over the joint states of `scope`.
std::vector<double> joint(const FactorGraph& graph, const std::vector<FactorId>& factors,
                          const std::vector<std::vector<double>>& tables,
                          const std::vector<VariableId>& scope) {
  const auto shape = shape_of(graph, scope);
  std::vector<double> sum(configurations(shape), 0.0);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    // Stride of each variable of the scope in this factor's table.
    std::vector<std::size_t> stride(scope.size(), 0);
    std::size_t step = tables[i].size();
    for (VariableId v : graph.scope(factors[i])) {
      step /= graph.states(v);
      stride[static_cast<std::size_t>(std::ranges::lower_bound(scope, v) - scope.begin())] = step;
    }
    std::vector<State> x(scope.size(), 0);
    for (double& value : sum) {
      std::size_t at = 0;
      for (std::size_t j = 0; j < scope.size(); ++j) at += x[j] * stride[j];
      value += tables[i][at];
      next_configuration(shape, x);
    }
  }
  return sum;
}

class Finder {
 public:
  Finder(const FactorGraph& graph, const Dual& dual, std::uint64_t max_entries,
         const Deadline& deadline)
      : graph_(graph), max_entries_(max_entries), time_(deadline), tables_(graph.num_factors()) {
    for (FactorId c = 0; c < graph.num_factors() && !late(0); ++c) {
      const std::uint64_t entries = configurations(graph.shape(c));
      if (entries > max_entries) continue;
      tables_[c] = dual.reparametrised(c);
      late(4 * entries);
    }
  }

  std::optional<Cluster> run(double least) {
    best_.gain = least;
    for (FactorId a = 0; a < graph_.num_factors() && !full(); ++a) {
      for (FactorId b : neighbours(a)) {
        if (full()) break;
        if (b > a && common(a, b) >= 2) consider({a, b});
        for (FactorId c : neighbours(b)) {
          if (full()) break;
          if (c == a || common(a, c) > 0) {
            if (c > b && b > a && c != a) consider({a, b, c});
            continue;
          }
          for (FactorId d : neighbours(c)) {
            if (d > b && d != a && common(d, a) > 0 && common(d, b) == 0 && a < b && a < c) {
              consider({a, b, c, d});
            }
          }
        }
      }
    }
    return best_.factors.empty() ? std::nullopt : std::optional(best_);
  }

 private:
  bool late(std::uint64_t steps) { return late_ = time_.late(steps); }
  // Nothing more is looked at.
  bool full() const { return late_ || seen_.size() >= kMostCandidates; }

  std::vector<FactorId> neighbours(FactorId c) {
    std::vector<FactorId> result;
    for (VariableId v : graph_.scope(c)) {
      late(32 * graph_.edges(v).size());
      for (EdgeId e : graph_.edges(v)) {
        if (graph_.factor_of(e) != c) result.push_back(graph_.factor_of(e));
      }
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  std::size_t common(FactorId a, FactorId b) {
    late(graph_.arity(a) * graph_.arity(b));
    std::size_t n = 0;
    for (VariableId v : graph_.scope(a)) n += std::ranges::count(graph_.scope(b), v);
    return n;
  }

  void consider(std::vector<FactorId> factors) {
    std::ranges::sort(factors);
    if (full() || !seen_.insert(factors).second) return;
    const auto scope = scope_of(graph_, factors);
    const std::uint64_t entries = configurations(shape_of(graph_, scope));
    if (entries > max_entries_) return;
    late(16 * entries);
    std::vector<std::vector<double>> tables;
    double apart = 0;
    for (FactorId c : factors) {
      tables.push_back(tables_[c]);
      apart += *std::ranges::max_element(tables_[c]);
    }
    const double gain = apart - std::ranges::max(joint(graph_, factors, tables, scope));
    if (gain > best_.gain) best_ = {factors, gain};
  }

  const FactorGraph& graph_;
  std::uint64_t max_entries_;
  TimeCheck time_;
  bool late_ = false;
  std::vector<std::vector<double>> tables_;
  std::set<std::vector<FactorId>> seen_;
  Cluster best_;
};

bool joins(const Cluster& cluster, FactorId c) {
  return std::ranges::find(cluster.factors, c) != cluster.factors.end();
}

}  // namespace

std::optional<Cluster> best_cluster(const FactorGraph& graph, const Dual& dual,
                                    std::uint64_t max_entries, double least,
                                    const Deadline& deadline) {
  return Finder(graph, dual, max_entries, deadline).run(least);
}

FactorGraph join(const FactorGraph& graph, const Cluster& cluster) {
  GraphBuilder b;
  copy_variables(graph, b);
  std::vector<std::optional<PotentialId>> ids(graph.num_potentials());
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    if (joins(cluster, c)) continue;
    auto& id = ids[graph.potential_index(c)];
    if (!id) id = b.potential(graph.shared_potential(graph.potential_index(c)));
    b.factor(graph.scope(c), *id);
  }
  const auto scope = scope_of(graph, cluster.factors);
  std::vector<std::vector<double>> tables;
  for (FactorId c : cluster.factors) {
    tables.push_back(expand(graph, c).values());
  }
  b.factor(std::span<const VariableId>(scope),
           Table(shape_of(graph, scope), joint(graph, cluster.factors, tables, scope)));
  return std::move(b).build();
}

void carry_over(const FactorGraph& graph, const Dual& from, const Cluster& cluster,
                const FactorGraph& joined, Dual& to) {
  const auto last = static_cast<FactorId>(joined.num_factors() - 1);
  const auto scope = joined.scope(last);
  FactorId next = 0;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const auto old = from.delta(c);
    if (!joins(cluster, c)) {
      std::ranges::copy(old, to.delta(next++).begin());
      continue;
    }
    std::size_t slot = 0;
    for (VariableId v : graph.scope(c)) {
      std::size_t target = 0;
      for (std::size_t j = 0; scope[j] != v; ++j) target += joined.states(scope[j]);
      for (State x = 0; x < graph.states(v); ++x) to.delta(last)[target + x] += old[slot++];
    }
  }
  to.refresh();
}

}  // namespace fgnn::lp
