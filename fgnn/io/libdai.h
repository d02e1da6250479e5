// The .fg format of libDAI: factors as lists of their non-zero entries.
//
// Values are potentials, not logarithms; the first variable of a scope varies fastest. Variables
// have labels; they are numbered by ascending label. When the labels are 0 … n-1 the variables are
// called x[0], x[1], …, otherwise x<label>. A table of which few entries are listed becomes a
// Sparse potential.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "fgnn/core/budget.h"
#include "fgnn/core/read_limits.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// `file` is the name used in messages. Throws Error(format) naming file:line:column.
FactorGraph read_fg(std::istream& in, const std::string& file, const ReadLimits& limits = {});

// Structured potentials are expanded to tables, except Sparse ones whose other states are
// forbidden. The format has no constants: the graph's is multiplied into the unary of variable 0.
// Every variable that is in no factor gets a unary. Throws Error(unsupported) naming the factor
// where a table is too large or a value does not fit a double.
void write_fg(std::ostream& out, const FactorGraph& graph, Budget* budget = nullptr);

}  // namespace fgnn
