#include "fgnn/graph/statistics.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fgnn {
namespace {

class RangeOf {
 public:
  void add(double value) {
    range_.min = count_ ? std::min(range_.min, value) : value;
    range_.max = count_ ? std::max(range_.max, value) : value;
    range_.mean += (value - range_.mean) / static_cast<double>(++count_);
  }
  Range get() const { return range_; }

 private:
  Range range_;
  std::size_t count_ = 0;
};

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

}  // namespace

Components connected_components(const FactorGraph& graph) {
  const std::size_t n = graph.num_variables();
  std::vector<std::uint32_t> parent(n);
  std::iota(parent.begin(), parent.end(), 0u);
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const auto scope = graph.scope(c);
    const std::uint32_t first = root(parent, scope[0]);
    for (VariableId v : scope.subspan(1)) parent[root(parent, v)] = first;
  }
  Components result;
  constexpr auto kUnnumbered = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(n, kUnnumbered);
  result.of_variable.resize(n);
  for (VariableId v = 0; v < n; ++v) {
    std::uint32_t& component = number[root(parent, v)];
    if (component == kUnnumbered) component = result.count++;
    result.of_variable[v] = component;
  }
  return result;
}

Statistics statistics(const FactorGraph& graph) {
  Statistics s;
  s.variables = graph.num_variables();
  s.factors = graph.num_factors();
  s.edges = graph.num_edges();
  s.potentials = graph.num_potentials();
  RangeOf states, arity, degree;
  for (VariableId v = 0; v < s.variables; ++v) {
    states.add(graph.states(v));
    degree.add(static_cast<double>(graph.edges(v).size()));
    if (graph.edges(v).empty()) ++s.isolated_variables;
  }
  for (FactorId c = 0; c < s.factors; ++c) {
    arity.add(static_cast<double>(graph.arity(c)));
    ++s.factors_by_kind[std::string(graph.potential(c).kind())];
    s.largest_table = std::max(s.largest_table, configurations(graph.shape(c)));
    for (VariableId v : graph.scope(c)) s.message_bytes += 2 * sizeof(double) * graph.states(v);
  }
  s.states = states.get();
  s.arity = arity.get();
  s.degree = degree.get();
  s.components = connected_components(graph).count;
  // A bipartite graph is a forest exactly when nodes = edges + components.
  s.forest = s.variables + s.factors == s.edges + s.components;
  s.bytes = graph.bytes();
  return s;
}

bool has_unary(const FactorGraph& graph, VariableId v) {
  return std::ranges::any_of(graph.unary(v), [](double value) { return value != 0; });
}

}  // namespace fgnn
