#include "fgnn/infer/budget_problem.h"

#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/table.h"

namespace fgnn {

FactorGraph BudgetProblem::graph() const {
  GraphBuilder builder;
  const VariableArray x = builder.variables("x", unary.size(), 2);
  for (VariableId v : x) builder.unary(v, unary[v]);
  for (const Pair& pair : pairs) {
    builder.factor({pair.first, pair.second},
                   Table({2, 2}, {pair.values.begin(), pair.values.end()}));
  }
  for (const Budget& budget : budgets) {
    builder.factor(budget.scope, Count::at_most(budget.most));
  }
  return std::move(builder).build();
}

}  // namespace fgnn
