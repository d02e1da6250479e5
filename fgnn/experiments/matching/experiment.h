// Graph matching (the paper's section 5.3), as an experiment of the program.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::matching {

experiments::Experiment experiment();

}  // namespace fgnn::matching
