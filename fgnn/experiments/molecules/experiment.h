// Molecules as an experiment: section 5.5 of the paper (docs/molecules.md).
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::molecules {

experiments::Experiment experiment();

}  // namespace fgnn::molecules
