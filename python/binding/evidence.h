// What Python says of variables: their numbers or names, and what was observed of them.
#pragma once

#include "fgnn/graph/evidence.h"
#include "fgnn/graph/factor_graph.h"
#include "python/binding/binding.h"

namespace fgnn::python {

// A number, or a name such as "x[3]". Throws Error(model) for what there is not.
VariableId variable_of(const FactorGraph& graph, py::handle given);

// None, or a dictionary from variables to a state (observed for certain) or log-weights of all
// states.
Evidence evidence_of(const FactorGraph& graph, const py::object& given);
py::dict dictionary(const Evidence& evidence);

}  // namespace fgnn::python
