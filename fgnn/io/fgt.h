// fgnn's own text format: every graph that the library can hold, by hand or by program.
//
//   fgnn 1                                    # format and version
//   var x[30] 2                               # thirty binary variables x[0] … x[29]
//   var rain 3
//   unary x[0] 0.2 0.7                        # log-potentials everywhere; -inf is forbidden
//   factor x[0] x[1] : table 0 .1 .2 1        # last variable fastest
//   factor x[0..7] : at-most 5
//   potential budget : at-most 2              # shared
//   factor x[8..11] : use budget
//
// The grammar is in docs/formats.md. Reading back what was written gives the same graph, bit for
// bit: names, order, sharing, numbers.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "fgnn/core/budget.h"
#include "fgnn/core/read_limits.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// `file` is the name used in messages. Throws Error(format) naming file:line:column.
FactorGraph read_fgt(std::istream& in, const std::string& file, const ReadLimits& limits = {});

// Potentials that no factor uses are left out. Throws Error(unsupported) naming a factor whose
// potential is of a kind the format has no word for.
void write_fgt(std::ostream& out, const FactorGraph& graph, Budget* budget = nullptr);

}  // namespace fgnn
