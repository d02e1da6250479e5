#include "tests/reference/toulbar2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/io/files.h"
#include "fgnn/potentials/table.h"

namespace fgnn::testing {
namespace {

// One table per set of variables, scopes ascending: toulbar2 1.1.1 gives wrong costs when several
// ternary functions share their variables in different orders.
FactorGraph with_one_table_per_scope(const FactorGraph& g) {
  std::map<std::vector<VariableId>, std::vector<FactorId>> by_scope;
  for (FactorId c = 0; c < g.num_factors(); ++c) {
    std::vector<VariableId> ids(g.scope(c).begin(), g.scope(c).end());
    std::ranges::sort(ids);
    by_scope[ids].push_back(c);
  }
  GraphBuilder b;
  const auto x = b.variables("x", g.states());
  b.constant(g.constant());
  for (VariableId v : x) b.unary(v, g.unary(v));
  for (const auto& [ids, factors] : by_scope) {
    std::vector<State> shape, at(ids.size(), 0), full(g.num_variables(), 0);
    for (VariableId v : ids) shape.push_back(g.states(v));
    std::vector<double> values;
    do {
      for (std::size_t i = 0; i < ids.size(); ++i) full[ids[i]] = at[i];
      double sum = 0;
      for (FactorId c : factors) {
        std::vector<State> local;
        for (VariableId v : g.scope(c)) local.push_back(full[v]);
        sum += g.potential(c).score(local);
      }
      values.push_back(sum);
    } while (next_configuration(shape, at));
    b.factor(std::span<const VariableId>(ids), Table(shape, values));
  }
  return std::move(b).build();
}

}  // namespace

bool have_toulbar2() { return std::system("command -v toulbar2 > /dev/null 2>&1") == 0; }

std::vector<State> toulbar2_map(const FactorGraph& graph, const std::filesystem::path& folder) {
  const auto model = folder / "model.uai", answer = folder / "answer.sol";
  std::filesystem::remove(answer);
  write_graph(with_one_table_per_scope(graph), model);
  const std::string command =
      "toulbar2 '" + model.string() + "' -w='" + answer.string() + "' > /dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream in(answer);
  std::vector<State> x;
  for (State state = 0; in >> state;) x.push_back(state);
  return x;
}

void expect_toulbar2_agrees(const FactorGraph& graph, const Result& ours,
                            const std::filesystem::path& folder) {
  ASSERT_EQ(ours.status, Status::exact);
  const auto theirs = toulbar2_map(graph, folder);
  ASSERT_EQ(theirs.size(), graph.num_variables());
  EXPECT_NEAR(graph.score(ours.assignment), ours.score, 1e-9);
  EXPECT_GE(ours.score, graph.score(theirs) - 1e-9);
  EXPECT_LE(ours.score, graph.score(theirs) + 1e-4);
}

}  // namespace fgnn::testing
