// A potential as Python holds it: many factors, graphs and names may share one.
#pragma once

#include <memory>

#include "fgnn/graph/potential.h"

namespace fgnn::python {

struct SharedPotential {
  std::shared_ptr<const Potential> held;
  const Potential* operator->() const { return held.get(); }
  const Potential& operator*() const { return *held; }
};

}  // namespace fgnn::python
