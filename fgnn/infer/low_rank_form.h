// The same graph with every factor written as a sum of rank-1 terms, where that is possible
// exactly. Sum-product on it is the paper's low-rank belief propagation,
//   m_{c->i} = W_{c,i} [ (.)_{j != i} W_{c,j}^T m_j ],
// at a cost linear in the arity of each factor.
#pragma once

#include <cstddef>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

struct LowRankForm {
  FactorGraph graph;
  std::size_t replaced = 0;  // factors whose potential is now low-rank and was not before
  std::size_t kept = 0;      // factors for which Potential::low_rank has no exact form
};

LowRankForm low_rank_form(const FactorGraph& graph);

}  // namespace fgnn
