// Models too wide for exact inference, made at random to compare solvers on: docs/wide.md.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::wide {

experiments::Experiment experiment();

}  // namespace fgnn::wide
