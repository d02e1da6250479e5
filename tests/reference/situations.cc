#include "tests/reference/situations.h"

#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/random_graph.h"

namespace fgnn::testing {
namespace {

// A chain with a budget: what the shipped networks have learned, so that they answer, too.
GraphBuilder chain() {
  GraphBuilder b;
  const auto x = b.variables("x", 5, 2);
  for (VariableId v = 0; v < 5; ++v) b.unary(x[v], {0.1 * v, 0.7 - 0.2 * v});
  for (VariableId v = 0; v + 1 < 5; ++v) {
    b.factor({x[v], x[v + 1]}, Table({2, 2}, {0.5, -0.1 * v, 0.2, 0.9 - 0.3 * v}));
  }
  b.factor(x, Count::at_most(2));
  return b;
}

FactorGraph all_kinds_graph() {
  GraphBuilder b;
  const auto x = b.variables("x", 6, 2);
  const auto y = b.variables("y", 3, 3);
  Rng rng(7);
  for (VariableId v : x) b.unary(v, {rng.normal(), rng.normal()});
  for (VariableId v : y) b.unary(v, {rng.normal(), rng.normal(), rng.normal()});
  b.factor({x[0], y[0]}, Table({2, 3}, {0, 1, kForbidden, 0.5, -1, 0.3}));
  b.factor({x[1], x[2], y[1]}, Sparse({2, 2, 3}, -1, {0, 1, 2, 1, 1, 0}, {0.5, kForbidden}));
  b.factor({x[0], x[1], x[2], x[3]}, Count::at_most(2));
  b.factor({x[2], x[3], x[4], x[5]}, Parity(true));
  b.factor(y, AllDifferent{});
  b.factor({x[4], y[2]}, LowRank({2, 3}, {1, 0.3}, {{1, 0.5, 2, -0.5}, {1, 0.2, 1, -0.3, 2, 1}}));
  b.factor({x[5], y[1]}, MaxRankOne({2, 3}, {{0, 1, 0.5, 0, -1}, {1, 0, kForbidden, 0, 0}}));
  b.factor({x[1], x[3], x[5], y[2]}, RobustPotts(-1.5, {{0.2, 0.7}}));
  return std::move(b).build();
}

FactorGraph with_constant(double constant) {
  GraphBuilder b = chain();
  b.constant(constant);
  return std::move(b).build();
}

FactorGraph contradictory() {
  GraphBuilder b;
  const auto x = b.variables("x", 4, 2);
  b.unary(x[0], {0.3, 0.1});
  b.factor(x, Parity(false));
  b.factor(x, Parity(true));
  return std::move(b).build();
}

// What shows at once: the variable left by one factor is forbidden by the other.
FactorGraph plainly_contradictory() {
  GraphBuilder b;
  const auto x = b.variables("x", 2, 2);
  b.factor({x[0], x[1]}, Table({2, 2}, {0, kForbidden, 0, kForbidden}));
  b.factor({x[1]}, Table({2}, {kForbidden, 0}));
  return std::move(b).build();
}

FactorGraph single() {
  GraphBuilder b;
  b.unary(b.variable("only", 1), {0.4});
  return std::move(b).build();
}

FactorGraph isolated() {
  GraphBuilder b;
  const auto x = b.variables("x", 4, 2);
  b.variable("free", 3);
  b.unary(x[0], {0, 1});
  b.factor({x[1], x[2]}, Table({2, 2}, {1, 0, 0, 1.5}));
  return std::move(b).build();
}

Evidence all_ones(std::size_t n) {
  Evidence evidence;
  for (VariableId v = 0; v < n; ++v) evidence.fix(v, 1);
  return evidence;
}

}  // namespace

std::vector<Situation> situations() {
  const FactorGraph base = chain().build();
  std::vector<Situation> all;
  all.push_back({"no evidence", base, {}});
  all.push_back({"evidence", base, Evidence().fix(2, 1).fix(4, 0)});
  all.push_back(
      {"soft evidence", base, Evidence().weigh(1, {0.5, -0.5}).weigh(3, {-2, kForbidden})});
  all.push_back({"evidence against itself", base, Evidence().fix(0, 0).fix(0, 1), true});
  all.push_back({"evidence against a potential", base, all_ones(5), true});
  all.push_back({"constant", with_constant(-2.5), Evidence().fix(1, 0)});
  all.push_back({"infeasible constant", with_constant(kForbidden), {}, true});
  all.push_back({"infeasible potentials", contradictory(), {}});
  all.push_back({"plainly infeasible potentials", plainly_contradictory(), {}, true});
  all.push_back({"no variables", FactorGraph(), {}});
  all.push_back({"one variable of one state", single(), {}});
  all.push_back({"isolated variables", isolated(), Evidence().fix(3, 1)});
  all.push_back({"all potential kinds", all_kinds_graph(), Evidence().fix(6, 1)});
  return all;
}

}  // namespace fgnn::testing
