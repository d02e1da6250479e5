// The oracle of a factor: that of its potential, or one that visits its table.
#pragma once

#include <memory>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/graph/oracle.h"
#include "fgnn/infer/table_store.h"

namespace fgnn::admm {

// Of a factor some of whose variables are decided: `left[j]` lists the states of position j. Throws
// Error(too_large) where neither the potential has an oracle nor its table fits.
std::unique_ptr<Oracle> make_oracle(const FactorGraph& graph, FactorId c, Left left,
                                    TableStore& tables);

}  // namespace fgnn::admm
