#include "fgnn/tasks/chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/potentials/table.h"

namespace fgnn::tasks {
namespace {

// As many iterations as the chain is long: exact.
Result beliefs(const FactorGraph& graph) {
  BpOptions o;
  o.schedule = Schedule::flooding;
  o.damping = 0;
  o.iterations = graph.num_variables() + 1;
  o.tolerance = 0;
  o.threads = 1;
  return sum_product(graph, o);
}

std::vector<double> marginals_of(const Result& result) {
  return {result.marginals.values().begin(), result.marginals.values().end()};
}

}  // namespace

ChainRows ChainRows::of(std::span<const float> numbers, std::size_t width) {
  ChainRows rows{numbers, 1};
  while (rows.width() < width) ++rows.states;
  if (rows.width() != width) {
    throw Error(ErrorCode::usage, "loss=chain",
                fmt::format("needs k + k * k outputs, not {}", width),
                "end the network with Chain(26)");
  }
  return rows;
}

FactorGraph chain_graph(const ChainRows& rows) {
  const std::size_t k = rows.states, n = rows.length();
  const auto states = static_cast<State>(k);
  GraphBuilder builder;
  const auto x = builder.variables("x", std::vector<State>(n, states));
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = rows.numbers.subspan(i * rows.width(), rows.width());
    builder.unary(x[i], std::vector<double>(row.begin(), row.begin() + k));
    if (i == 0) continue;
    builder.factor({x[i - 1], x[i]},
                   Table({states, states}, std::vector<double>(row.begin() + k, row.end())));
  }
  return std::move(builder).build();
}

std::vector<double> chain_marginals(const ChainRows& rows) {
  return marginals_of(beliefs(chain_graph(rows)));
}

double chain_log_likelihood(const ChainRows& rows, std::span<const std::int64_t> labels,
                            std::span<float> gradient, std::vector<double>* marginals) {
  const FactorGraph graph = chain_graph(rows);
  const Result result = beliefs(graph);
  const std::vector<State> y(labels.begin(), labels.end());
  const double value = graph.score(y) - *result.log_partition;
  if (marginals != nullptr) *marginals = marginals_of(result);
  if (gradient.empty()) return value;
  std::fill(gradient.begin(), gradient.end(), 0.0f);
  const std::size_t k = rows.states;
  for (std::size_t i = 0; i < y.size(); ++i) {
    float* row = gradient.data() + i * rows.width();
    const auto own = result.marginals[static_cast<VariableId>(i)];
    for (std::size_t s = 0; s < k; ++s) row[s] = static_cast<float>(-own[s]);
    row[y[i]] += 1;
    if (i == 0) continue;
    const auto pair = factor_belief(graph, result.messages, static_cast<FactorId>(i - 1));
    for (std::size_t s = 0; s < k * k; ++s) row[k + s] = static_cast<float>(-pair[s]);
    row[k + y[i - 1] * k + y[i]] += 1;
  }
  return value;
}

}  // namespace fgnn::tasks
