// An answer of a method as Python holds it: with the graph and the evidence that it is of.
#pragma once

#include <memory>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"
#include "python/binding/binding.h"

namespace fgnn::python {

using Graph = std::shared_ptr<FactorGraph>;

struct Answer {
  Result result;
  Graph graph;
  Evidence evidence;
};

// Messages, which may be a part of an answer.
struct SharedMessages {
  std::shared_ptr<Messages> held;
  Graph graph;

  std::span<double> values() const;  // of all edges
};

// From None, Messages or an Answer, for a warm start; null for None.
std::shared_ptr<Messages> warm_start(const py::object& given);

}  // namespace fgnn::python
