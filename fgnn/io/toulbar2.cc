#include "fgnn/io/toulbar2.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "fgnn/core/timing.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/io/files.h"
#include "fgnn/io/outside_program.h"
#include "fgnn/potentials/table.h"

namespace fgnn {
namespace {

constexpr double kGrace = 2;  // seconds to write its answer after it was told to end

// The largest becomes 0. What is forbidden altogether stays as it is.
void lower(std::vector<double>& values) {
  const double most = std::ranges::max(values);
  if (most == kForbidden) return;
  for (double& value : values) value -= most;
}

// Adds the factor's log-potentials to a table over the same variables in ascending order.
void add_to(std::vector<double>& sum, const FactorGraph& graph, FactorId c,
            const std::vector<VariableId>& ascending) {
  const auto scope = graph.scope(c);
  const Table own = expand(graph, c);
  std::vector<std::size_t> stride(scope.size());  // in `sum`, of each place in the factor's scope
  for (std::size_t i = 0; i < scope.size(); ++i) {
    std::size_t entries = 1;
    for (const VariableId v : ascending) entries *= v > scope[i] ? graph.states(v) : 1;
    stride[i] = entries;
  }
  std::vector<State> x(scope.size(), 0);
  std::size_t from = 0;
  do {
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) at += x[i] * stride[i];
    sum[at] += own.values()[from++];
  } while (next_configuration(own.shape(), x));
}

bool says(const std::string& output, const char* words) {
  return output.find(words) != output.npos;
}

}  // namespace

bool have_toulbar2() { return have_program("toulbar2"); }

FactorGraph with_one_table_per_scope(const FactorGraph& graph, Budget* budget) {
  std::map<std::vector<VariableId>, std::vector<FactorId>> by_scope;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    std::vector<VariableId> ids(graph.scope(c).begin(), graph.scope(c).end());
    std::ranges::sort(ids);
    by_scope[std::move(ids)].push_back(c);
  }
  GraphBuilder builder;
  const auto x = builder.variables("x", graph.states());
  for (const VariableId v : x) {
    std::vector<double> unary(graph.unary(v).begin(), graph.unary(v).end());
    lower(unary);
    builder.unary(v, unary);
  }
  for (const auto& [ids, factors] : by_scope) {
    std::vector<State> shape;
    for (const VariableId v : ids) shape.push_back(graph.states(v));
    const Table first = expand(graph, factors.front());  // refuses tables that are too large
    std::vector<double> values(first.values().size(), 0);
    if (budget != nullptr) budget->take(sizeof(double) * values.size());
    for (const FactorId c : factors) add_to(values, graph, c, ids);
    lower(values);
    builder.factor(std::span<const VariableId>(ids), Table(std::move(shape), std::move(values)));
  }
  return std::move(builder).build();
}

Toulbar2Answer run_toulbar2(const std::filesystem::path& model, const Toulbar2Options& options) {
  const ScratchFolder folder;
  const auto solution = folder.path() / "answer.sol";
  std::string command;
  if (options.max_bytes != Budget::kNoLimit) {
    command += fmt::format("ulimit -v {}; ", options.max_bytes >> 10);
  }
  // Its own limit is in whole seconds of processor time; a signal makes it end in order as well.
  if (options.time_limit < kInfinity) {
    command += fmt::format("timeout -s INT -k {} {:.3f} ", kGrace, options.time_limit);
  }
  command += fmt::format("toulbar2 {} -w={}", shell_word(model), shell_word(solution));
  if (options.time_limit < 1e9) {
    command += fmt::format(" -timer={:.0f}", std::max(1.0, std::ceil(options.time_limit)));
  }
  const Stopwatch watch;
  const std::string said = output_of(command + "; true").value_or("");
  Toulbar2Answer answer;
  answer.seconds = watch.seconds();
  answer.proved = says(said, "\nOptimum: ");
  answer.infeasible = says(said, "\nNo solution in ");
  std::ifstream in(solution);
  for (State x = 0; in >> x;) answer.assignment.push_back(x);
  return answer;
}

Toulbar2Answer toulbar2_map(const FactorGraph& graph, const Toulbar2Options& options) {
  const ScratchFolder folder;
  const auto model = folder.path() / "model.uai";
  write_graph(with_one_table_per_scope(graph), model);
  Toulbar2Answer answer = run_toulbar2(model, options);
  if (answer.assignment.size() != graph.num_variables()) answer.assignment.clear();
  return answer;
}

}  // namespace fgnn
