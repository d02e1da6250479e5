// The UAI format of the probabilistic inference competitions: MARKOV and BAYES networks of tables.
//
// Values are potentials, not logarithms; the last variable of a scope varies fastest. One-variable
// factors become unaries, zero-variable factors constants; equal tables are shared. The variables
// are called x[0], x[1], ….
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "fgnn/core/budget.h"
#include "fgnn/core/read_limits.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// `file` is the name used in messages. Throws Error(format) naming file:line:column.
FactorGraph read_uai(std::istream& in, const std::string& file, const ReadLimits& limits = {});

// Writes a MARKOV network; structured potentials are expanded to tables. Throws Error(unsupported)
// naming the factor where that is too large or a value does not fit a double.
void write_uai(std::ostream& out, const FactorGraph& graph, Budget* budget = nullptr);

}  // namespace fgnn
